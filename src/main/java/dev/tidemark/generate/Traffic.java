package dev.tidemark.generate;

import java.util.Arrays;

/** How the orders of a day spread over its 1,440 minutes: evenly within each, by a weight between them. */
final class Traffic {
    static final int MINUTES = 1440;

    /** Up to which share of the day's orders each minute goes. */
    private final double[] upTo = new double[MINUTES];

    private Traffic(double[] weights) {
        double sum = Arrays.stream(weights).sum();
        double sofar = 0;
        for (int minute = 0; minute < MINUTES; minute++) {
            sofar += weights[minute];
            upTo[minute] = minute == MINUTES - 1 ? 1 : sofar / sum;
        }
    }

    /** f(h) = 1 - 0.87 cos(2 pi (h - 4) / 24): quietest at four in the morning, busiest at four in the afternoon. */
    static Traffic ordinary() {
        return new Traffic(waves());
    }

    /** The same with spikes: pairs of a minute of the day and the share of all the day's orders that it has on top. */
    static Traffic withSpikes(double[][] spikes) {
        double rest = 1 - Arrays.stream(spikes).mapToDouble(spike -> spike[1]).sum();
        double[] weights = waves();
        for (int minute = 0; minute < MINUTES; minute++) {
            weights[minute] *= rest / MINUTES;
        }
        for (double[] spike : spikes) {
            weights[(int) spike[0]] += spike[1];
        }
        return new Traffic(weights);
    }

    private static double[] waves() {
        double[] weights = new double[MINUTES];
        for (int minute = 0; minute < MINUTES; minute++) {
            weights[minute] = 1 - 0.87 * StrictMath.cos(2 * StrictMath.PI * ((minute + 0.5) / 60 - 4) / 24);
        }
        return weights;
    }

    /** The moment, in minutes since the day began, up to which a share of the day's orders has come. */
    double moment(double share) {
        int minute = minute(share);
        double from = minute == 0 ? 0 : upTo[minute - 1];
        return minute + (share - from) / (upTo[minute] - from);
    }

    /** The minute in which a share of the day's orders is reached. */
    int minute(double share) {
        int found = Arrays.binarySearch(upTo, share);
        return found >= 0 ? Math.min(found + 1, MINUTES - 1) : -found - 1;
    }

    /** The share of the day's orders that come in a minute. */
    double share(int minute) {
        return upTo[minute] - (minute == 0 ? 0 : upTo[minute - 1]);
    }
}
