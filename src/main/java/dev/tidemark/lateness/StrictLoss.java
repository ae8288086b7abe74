package dev.tidemark.lateness;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a strict reader, or one that looks back, lost.
 *
 * @param changes that were read
 * @param records that they are of
 * @param reads at which there was something that was not there before
 * @param loadings changes that these loaded; one that was loaded again counts again
 * @param loadedAgain of these: those that had been loaded before
 * @param lost records of which it loaded nothing
 * @param value what these are worth
 * @param days by day of the event, ascending; every day that has a record
 * @param minutes minutes of the event in which records were lost, the worst first
 */
public record StrictLoss(
        long changes,
        long records,
        long reads,
        long loadings,
        long loadedAgain,
        long lost,
        BigDecimal value,
        NavigableMap<LocalDate, Day> days,
        List<Minute> minutes) {
    /**
     * A day.
     *
     * @param records that happened on it
     * @param lost how many of them were lost
     * @param value what these are worth
     */
    public record Day(long records, long lost, BigDecimal value) {}

    /**
     * A minute.
     *
     * @param start its first microsecond since the epoch
     * @param lost how many records of it were lost
     */
    public record Minute(long start, long lost, BigDecimal value) {}

    private record Sum(long lost, BigDecimal value) {
        private Sum plus(Sum other) {
            return new Sum(lost + other.lost, value.add(other.value));
        }
    }

    /** Adds up. */
    static final class Builder {
        private static final long MINUTE = 60_000_000L;

        private final long changes;
        private final long records;
        private final long reads;
        private final long loadings;
        private final long loadedAgain;
        private final Map<Long, Long> recordsByDay;
        private final Map<Long, Sum> byDay = new TreeMap<>();
        private final Map<Long, Sum> byMinute = new TreeMap<>();
        private Sum all = new Sum(0, BigDecimal.ZERO);

        Builder(long changes, long records, long reads, long loadings, long loadedAgain, Map<Long, Long> recordsByDay) {
            this.changes = changes;
            this.records = records;
            this.reads = reads;
            this.loadings = loadings;
            this.loadedAgain = loadedAgain;
            this.recordsByDay = recordsByDay;
        }

        void add(long day, long eventTime, BigDecimal value) {
            Sum one = new Sum(1, value);
            all = all.plus(one);
            byDay.merge(day, one, Sum::plus);
            byMinute.merge(eventTime - Math.floorMod(eventTime, MINUTE), one, Sum::plus);
        }

        StrictLoss build() {
            NavigableMap<LocalDate, Day> days = new TreeMap<>();
            Sum none = new Sum(0, BigDecimal.ZERO);
            recordsByDay.forEach((day, count) -> {
                Sum lost = byDay.getOrDefault(day, none);
                days.put(LocalDate.ofEpochDay(day), new Day(count, lost.lost(), lost.value()));
            });
            List<Minute> minutes = new ArrayList<>();
            byMinute.forEach((start, lost) -> minutes.add(new Minute(start, lost.lost(), lost.value())));
            minutes.sort(Comparator.comparingLong(Minute::lost)
                    .reversed()
                    .thenComparing(Comparator.comparingLong(Minute::start)));
            return new StrictLoss(
                    changes,
                    records,
                    reads,
                    loadings,
                    loadedAgain,
                    all.lost(),
                    all.value(),
                    Collections.unmodifiableNavigableMap(days),
                    List.copyOf(minutes));
        }
    }
}
