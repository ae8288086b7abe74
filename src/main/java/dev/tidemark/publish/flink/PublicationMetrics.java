package dev.tidemark.publish.flink;

import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.Observation;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/**
 * What a job tells the systems that watch it, under the group {@code tidemark} of the operator that publishes. Instants are
 * seconds since the epoch, so that ages are the watcher's subtraction; {@code NaN} is none. Counters begin at 0 with each
 * start of the operator, and count what is told here for the first time: nothing twice.
 *
 * <ul>
 *   <li>{@code publication}, {@code publishedAt}, {@code frontierLeast}, {@code frontierGreatest}, {@code closedBefore},
 *       {@code completeFrom}, {@code carriedParts}, {@code openLate}, {@code oldestOpenLate}, {@code rebuiltAt}, {@code
 *       rebuildSeconds}: as {@link Observation} has them
 *   <li>{@code recordsRead}, {@code applied}, {@code superseded}, {@code late}, {@code split}, {@code rejected}, {@code
 *       halfWindowExceeded}: changes, as the columns of {@code tidemark.publications}
 *   <li>{@code cellsStaged}: rows that were sent to the target, written or found equal
 *   <li>{@code changes} by {@code age}: changes that named a partition so many before the frontier's; the last one,
 *       {@code N_or_more}, stands for itself and all that are older (Prometheus has no {@code +} in a label's value from Flink)
 *   <li>{@code maxLatenessSeconds}: the greatest lateness since the start
 *   <li>{@code publications}, {@code failedPublications}: how many were made; how many tries failed, for whatever reason
 *   <li>{@code failedObservations}: how often the warehouse could not be asked, so that what is told of it is old
 * </ul>
 */
final class PublicationMetrics {
    /** However large the lookback, the number of series is bounded. */
    private static final int MOST_AGES = 64;

    private final Counter read;
    private final Counter applied;
    private final Counter superseded;
    private final Counter late;
    private final Counter split;
    private final Counter rejected;
    private final Counter halfWindowExceeded;
    private final Counter cellsStaged;
    private final Counter publications;
    private final Counter failed;
    private final Counter failedObservations;
    private final List<Counter> ages = new ArrayList<>();
    // Reporters read in threads of their own.
    private volatile Observation observation = Observation.NOTHING;
    private volatile long maxLatenessMillis = -1;

    /** @param lookback ages up to it are told one by one, as far as there are not too many */
    PublicationMetrics(MetricGroup operator, int lookback) {
        MetricGroup group = operator.addGroup("tidemark");
        read = group.counter("recordsRead");
        applied = group.counter("applied");
        superseded = group.counter("superseded");
        late = group.counter("late");
        split = group.counter("split");
        rejected = group.counter("rejected");
        halfWindowExceeded = group.counter("halfWindowExceeded");
        cellsStaged = group.counter("cellsStaged");
        publications = group.counter("publications");
        failed = group.counter("failedPublications");
        failedObservations = group.counter("failedObservations");
        int told = Math.min(MOST_AGES, lookback + 2);
        for (int age = 0; age < told; age++) {
            String label = age + 1 < told ? Integer.toString(age) : age + "_or_more";
            ages.add(group.addGroup("age", label).counter("changes"));
        }
        gauge(group, "publication", Observation::publication);
        gauge(group, "publishedAt", Observation::publishedAt);
        gauge(group, "frontierLeast", Observation::frontierLeast);
        gauge(group, "frontierGreatest", Observation::frontierGreatest);
        gauge(group, "closedBefore", Observation::closedBefore);
        gauge(group, "completeFrom", Observation::completeFrom);
        gauge(group, "carriedParts", Observation::carriedParts);
        gauge(group, "openLate", Observation::openLate);
        gauge(group, "oldestOpenLate", Observation::oldestOpenLate);
        gauge(group, "rebuiltAt", Observation::rebuiltAt);
        gauge(group, "rebuildSeconds", Observation::rebuildSeconds);
        Gauge<Double> maxLateness = () -> maxLatenessMillis < 0 ? Observation.NONE : maxLatenessMillis / 1000.0;
        group.gauge("maxLatenessSeconds", maxLateness);
    }

    private void gauge(MetricGroup group, String name, ToDoubleFunction<Observation> value) {
        Gauge<Double> gauge = () -> value.applyAsDouble(observation);
        group.gauge(name, gauge);
    }

    /** Parts have been published, or kept for a later publication: their changes count. */
    void accepted(List<StagedPart> parts) {
        for (StagedPart part : parts) {
            cellsStaged.inc(part.cells());
            for (Cut cut : part.cuts()) {
                read.inc(cut.read());
                rejected.inc(cut.rejected());
            }
            part.tallies().forEach(this::count);
        }
    }

    private void count(Tally tally) {
        applied.inc(tally.applied());
        superseded.inc(tally.superseded());
        late.inc(tally.late());
        split.inc(tally.split());
        halfWindowExceeded.inc(tally.halfWindowExceeded());
        maxLatenessMillis = Math.max(maxLatenessMillis, tally.maxLatenessMillis());
        for (LatenessEntry entry : tally.lateness()) {
            ages.get((int) Math.min(entry.age(), ages.size() - 1L)).inc(entry.changes());
        }
    }

    void published() {
        publications.inc();
    }

    void failed() {
        failed.inc();
    }

    /** What is told of the warehouse is as old as the last time that it could be asked. */
    void notObserved() {
        failedObservations.inc();
    }

    void observed(Observation now) {
        observation = now;
    }
}
