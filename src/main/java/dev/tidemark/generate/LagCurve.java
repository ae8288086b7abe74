package dev.tidemark.generate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The lags of a given number of arrivals, ranked from the longest (rank 0): p50, p99, p99.9, p99.99 and the maximum, each by
 * nearest rank, are exactly 0.8 s, 41 min, 4 h 12 min, 19 h and 2 d 4 h. Between those, ln lag is linear in ln exceedance
 * (how many arrivals lag at least as long); below the median it goes on as just above it. Where there are so few arrivals
 * that two of those fall on one rank, the longer lag has it.
 */
final class LagCurve {
    static final Duration MEDIAN = Duration.ofMillis(800);
    static final Duration P99 = Duration.ofMinutes(41);
    static final Duration P999 = Duration.ofHours(4).plusMinutes(12);
    static final Duration P9999 = Duration.ofHours(19);
    static final Duration LONGEST = Duration.ofHours(52);

    private final long arrivals;
    private final long[] ranks;
    private final long[] micros;

    LagCurve(long arrivals) {
        this.arrivals = arrivals;
        List<long[]> knots = new ArrayList<>();
        knot(knots, 10_000, LONGEST);
        knot(knots, 9_999, P9999);
        knot(knots, 9_990, P999);
        knot(knots, 9_900, P99);
        knot(knots, 5_000, MEDIAN);
        if (arrivals - 1 > knots.get(knots.size() - 1)[0]) {
            double slope = StrictMath.log((double) P99.toMillis() / MEDIAN.toMillis()) / StrictMath.log(50);
            knots.add(new long[] {
                arrivals - 1, StrictMath.round(inMicros(MEDIAN) * StrictMath.exp(-slope * StrictMath.log(2)))
            });
        }
        this.ranks = knots.stream().mapToLong(knot -> knot[0]).toArray();
        this.micros = knots.stream().mapToLong(knot -> knot[1]).toArray();
    }

    private void knot(List<long[]> knots, long tenThousandths, Duration lag) {
        long rank = arrivals + Math.floorDiv(-tenThousandths * arrivals, 10_000L);
        if (knots.isEmpty() || knots.get(knots.size() - 1)[0] < rank) {
            knots.add(new long[] {rank, inMicros(lag)});
        }
    }

    private static long inMicros(Duration duration) {
        return duration.toNanos() / 1_000;
    }

    long arrivals() {
        return arrivals;
    }

    /** The lag of a rank, in microseconds. */
    long lag(long rank) {
        int above = 0;
        while (above + 2 < ranks.length && ranks[above + 1] < rank) {
            above++;
        }
        if (ranks.length == 1 || rank <= ranks[above]) {
            return micros[above];
        }
        if (rank == ranks[above + 1]) {
            return micros[above + 1];
        }
        double from = StrictMath.log(ranks[above] + 1.0);
        double to = StrictMath.log(ranks[above + 1] + 1.0);
        double share = (StrictMath.log(rank + 1.0) - from) / (to - from);
        double longer = StrictMath.log((double) micros[above]);
        double shorter = StrictMath.log((double) micros[above + 1]);
        return StrictMath.round(StrictMath.exp(longer + share * (shorter - longer)));
    }

    /** The first rank whose lag is at most the one given; the last rank if there is none. */
    long rank(double lagMicros) {
        long low = 0;
        long high = arrivals - 1;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (lag(middle) <= lagMicros) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }
}
