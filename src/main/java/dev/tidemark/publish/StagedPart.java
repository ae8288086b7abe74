package dev.tidemark.publish;

import java.util.List;

/**
 * The receipt of what one stage operator made durable for one checkpoint: the committable.
 *
 * @param submission the random id of the submission that staged it
 * @param part the random id under which the rows are staged
 * @param cells how many cell rows are staged; {@code late} and {@code rejected} likewise
 */
public record StagedPart(
        String submission,
        long checkpoint,
        String part,
        long cells,
        long late,
        long rejected,
        List<Tally> tallies,
        List<Cut> cuts,
        List<Reopening> reopenings) {

    /** A part under the lookback that was. */
    public StagedPart(
            String submission,
            long checkpoint,
            String part,
            long cells,
            long late,
            long rejected,
            List<Tally> tallies,
            List<Cut> cuts) {
        this(submission, checkpoint, part, cells, late, rejected, tallies, cuts, List.of());
    }

    /** Whether it left something in the warehouse: rows, positions of changes that count, or that partitions are open again. */
    public boolean holdsAnything() {
        return cells + late + rejected > 0
                || !reopenings.isEmpty()
                || cuts.stream().anyMatch(cut -> cut.read() > 0);
    }
}
