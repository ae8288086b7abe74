package dev.tidemark.reconcile;

import java.math.RoundingMode;
import java.util.List;

/**
 * Both sides of one partition.
 *
 * @param partition as ISO text
 * @param isFinal whether the stream no longer changes it
 * @param openLate ledger rows of it that wait to be brought in: they explain a loss
 * @param controlRows rows of the control; {@code targetRows} of the target, as fine as the control's keys
 * @param onlyControl rows that only the control has; {@code onlyTarget} that only the target has, doubles too if the control
 *     names the whole key. Without keys a partition is one row
 * @param variances one a measure
 */
public record Compared(
        String partition,
        boolean isFinal,
        long openLate,
        long controlRows,
        long targetRows,
        long onlyControl,
        long onlyTarget,
        List<Variance> variances) {

    /**
     * Rows that have no counterpart. Where a count is compared, rows that a count lacks or has too many, row by row, so that one
     * lost and one doubled are two.
     */
    public long unmatched() {
        long counted = variances.stream()
                .filter(variance -> variance.measure().kind() == Measure.Kind.COUNT)
                .mapToLong(variance ->
                        variance.gross().setScale(0, RoundingMode.CEILING).longValue())
                .max()
                .orElse(0);
        return Math.max(onlyControl + onlyTarget, counted);
    }
}
