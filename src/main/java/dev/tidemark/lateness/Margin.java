package dev.tidemark.lateness;

import java.time.Duration;

/**
 * What is added to a percentile, because the percentile alone is passed by the next delay.
 *
 * @param scheduler how unevenly the source is read or delivers
 * @param commit how long upstream may take from writing a row to committing it
 * @param clock what is unclear about where a partition ends: clocks that differ, a day of 23 hours
 */
public record Margin(Duration scheduler, Duration commit, Duration clock) {
    /** Two and a half hours: guesses, to be replaced by what is known of the source. */
    public static final Margin USUAL = new Margin(Duration.ofMinutes(30), Duration.ofHours(1), Duration.ofHours(1));

    /** All of it. */
    public Duration total() {
        return scheduler.plus(commit).plus(clock);
    }
}
