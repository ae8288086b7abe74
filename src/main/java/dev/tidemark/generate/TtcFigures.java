package dev.tidemark.generate;

import java.time.LocalDate;

/**
 * What was written of TTC's story, counted while it was written.
 *
 * @param firstDay the first of the days
 * @param snapshots one an hour
 * @param lateSnapshots of these: seen late, as a whole
 * @param productRows rows of the products' table in all
 * @param retries of these: a row of the same second, with another quantity
 * @param corrections of these: a new quantity for a row of an earlier snapshot
 * @param oldCorrections of the corrections: those more than three days old
 * @param futureDated of these: dated three days ahead
 * @param aroundMidnight of these: within a minute of midnight
 * @param locationRows rows of the locations' table
 */
public record TtcFigures(
        LocalDate firstDay,
        int days,
        int products,
        int locations,
        long snapshots,
        long lateSnapshots,
        long productRows,
        long retries,
        long corrections,
        long oldCorrections,
        long futureDated,
        long aroundMidnight,
        long locationRows) {}
