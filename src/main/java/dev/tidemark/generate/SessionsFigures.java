package dev.tidemark.generate;

import java.time.LocalDate;

/**
 * What was written of the sessions, counted while it was written.
 *
 * @param end the day after the last of the days
 * @param versions records in all: sessions, and those that went on
 * @param longestLagMicros the longest lag of a first version
 * @param lost sessions that a strict reader loses that reads every night
 * @param most of these on the worst day
 */
public record SessionsFigures(
        int days, LocalDate end, long sessions, long versions, long longestLagMicros, long lost, long most) {}
