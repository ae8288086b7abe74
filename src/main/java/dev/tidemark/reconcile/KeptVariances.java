package dev.tidemark.reconcile;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Every variance that was ever measured of a job. Not thread-safe. */
public interface KeptVariances extends AutoCloseable {

    /**
     * The newest variance in percent of each partition that counted, where it can be said in percent.
     *
     * @param control which outside totals
     */
    NavigableMap<String, Double> series(String control, Measure measure);

    /** Keeps a reconciliation with all its variances, in one transaction. */
    void keep(Reconciliation reconciliation, Instant at);

    /** The last reconciliation against each of the outside totals, the newest first. */
    List<Run> last();

    /** Hands over what is kept of one control (null: of all), the newest variance of each partition, in order. */
    void read(@Nullable String control, long limit, Consumer<Point> points);

    /** How many {@link #read} hands over without a limit. */
    long count(@Nullable String control);

    @Override
    void close();

    /**
     * A reconciliation.
     *
     * @param alarms {@link Alarm.Kind#word} of those that were raised
     */
    record Run(
            String control,
            String origin,
            @Nullable Long publication,
            Tolerance tolerance,
            long partitions,
            long unmatched,
            List<String> alarms,
            @Nullable Double worst,
            Instant at) {
        /** Whether nothing was found. */
        public boolean isPassed() {
            return alarms.isEmpty();
        }
    }

    /**
     * One variance.
     *
     * @param times how often the partition was reconciled
     */
    record Point(
            String control,
            String measure,
            String partition,
            boolean isCounted,
            BigDecimal controlValue,
            BigDecimal targetValue,
            @Nullable Double percent,
            @Nullable Double grossPercent,
            long unmatched,
            @Nullable Double loss,
            @Nullable Double gain,
            long times,
            Instant at) {}
}
