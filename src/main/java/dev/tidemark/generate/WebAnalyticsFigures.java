package dev.tidemark.generate;

import java.time.LocalDate;

/**
 * What was written of the story of a web site, counted while it was written.
 *
 * @param firstDay the first of the days
 * @param devices that there may be
 * @param users that there may be
 * @param events each counted once
 * @param signedIn of these: those of which the user is known
 * @param sessions that were told; 0: events are told by themselves
 * @param acrossMidnight of these: those that begin before a midnight and end after it
 * @param late of the events: those that come an hour, a day or three days late
 * @param again events that came once more
 */
public record WebAnalyticsFigures(
        LocalDate firstDay,
        int days,
        int devices,
        int users,
        long events,
        long signedIn,
        long sessions,
        long acrossMidnight,
        long late,
        long again) {}
