package dev.tidemark.generate;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;

/**
 * What was written of Kestrel's story, counted while it was written.
 *
 * @param ordinaryOrders orders of the days before the great day
 * @param greatOrders orders of the great day
 * @param changes records in all
 * @param loaded of these: those that a strict reader loads when it reads three more times on the great day
 * @param created of these: lines at their first arrival
 * @param corrected lines whose quantity or price was corrected
 * @param shipped lines that were shipped
 * @param withdrawn lines of cancelled orders
 * @param again copies that were delivered once more
 * @param valueCents what all orders were worth when they were placed
 * @param lags the lags of the orders' first arrival
 * @param totals by day, what stands in the end of the orders that were placed on it
 * @param nightly what a strict reader loses that reads every night
 * @param busy what it loses when it reads three more times on the great day
 */
public record KestrelFigures(
        int days,
        LocalDate greatDay,
        long ordinaryOrders,
        long greatOrders,
        long changes,
        long loaded,
        long created,
        long corrected,
        long shipped,
        long withdrawn,
        long again,
        long valueCents,
        List<LagShare> lags,
        Map<LocalDate, DayTotal> totals,
        Loss nightly,
        Loss busy) {
    /**
     * How many orders arrived within a lag.
     *
     * @param name which percentile the lag is to be
     * @param below how many arrived within less
     * @param within how many arrived within it
     * @param exact whether it is that percentile by nearest rank
     */
    public record LagShare(String name, long lagMicros, long below, long within, boolean exact) {}

    /** Lines and what they are worth. */
    public record DayTotal(long lines, long cents) {
        DayTotal plus(DayTotal other) {
            return new DayTotal(lines + other.lines, cents + other.cents);
        }
    }

    /**
     * Lost orders.
     *
     * @param ordinary of the days before the great day
     * @param most on the worst of these days
     * @param great of the great day
     * @param worstMinutes of the great day, the worst first
     */
    public record Loss(long ordinary, long most, long great, List<Minute> worstMinutes) {}

    /** Lost orders of a minute of the day. */
    public record Minute(String minute, long lost) {}
}
