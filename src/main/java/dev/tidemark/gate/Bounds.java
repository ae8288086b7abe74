package dev.tidemark.gate;

import org.jspecify.annotations.Nullable;

/**
 * The least frontier over the logs of all stamping operators, from what each said ahead of a barrier. Mutable; belongs to
 * one operator.
 *
 * <p>The rule is that of the published bound: the least h over the active logs, or over all if none is active. As long as a
 * sender has not spoken, is not ready, or has an active log without h, it is unknown, and everything stays as it is.
 */
public final class Bounds {
    private @Nullable Bound[] said = new Bound[0];

    /** Takes what a sender says; it stands until the sender speaks again. */
    public void take(Bound bound) {
        if (said.length != bound.senders()) {
            said = new Bound[bound.senders()];
        }
        said[bound.sender()] = bound;
    }

    /** The least frontier, in microseconds, at the last barrier; {@link Frontier#UNKNOWN}: not to be told. */
    public long least() {
        long leastActive = Bound.NONE;
        long least = Bound.NONE;
        for (Bound bound : said) {
            if (bound == null || !bound.ready()) {
                return Frontier.UNKNOWN;
            }
            leastActive = Math.min(leastActive, bound.leastActive());
            least = Math.min(least, bound.least());
        }
        if (leastActive != Bound.NONE) {
            return leastActive;
        }
        return least == Bound.NONE ? Frontier.UNKNOWN : least;
    }
}
