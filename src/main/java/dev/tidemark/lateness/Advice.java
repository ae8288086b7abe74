package dev.tidemark.lateness;

import java.time.Duration;

/**
 * What a policy says.
 *
 * @param measured the lateness that it goes by
 * @param covered the lateness that it covers: with the margin, or doubled
 * @param outcome what its lookback would have done
 */
public record Advice(Policy policy, Duration measured, Duration covered, Candidate outcome) {
    /** How a lookback is chosen. */
    public enum Policy {
        /** The 99th percentile of first arrivals or of corrections, whichever is greater, and a margin: loses the tail for good. */
        P99_AND_MARGIN("p99 + margin"),
        /** Twice the greatest lateness: loses nothing like what was seen. */
        TWICE_THE_MAXIMUM("maximum x 2");

        private final String word;

        Policy(String word) {
            this.word = word;
        }

        /** As it is printed. */
        public String word() {
            return word;
        }
    }
}
