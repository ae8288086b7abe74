package dev.tidemark.lateness;

import dev.tidemark.lateness.Evidence.Day;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** When not to rely on a lookback, as far as what was seen shows it. */
final class Doubts {
    /** Up to so many records are recomputed in a minute or two. */
    static final long SMALL = 1_000_000;
    /** Fewer days show no trend. */
    static final int DAYS_OF_A_TREND = 8;
    /** A maximum that grows by more than this from the first half of the days to the second has not settled. */
    static final double GROWTH = 1.25;
    /** So many times the percentile of the first half is a drift. */
    static final double DRIFT = 2;
    /** Below this lateness a drift is of no account. */
    static final Duration LEAST_DRIFT = Duration.ofMinutes(1);

    private final Subject subject;
    private final Evidence evidence;
    private final Distribution all;
    private final List<Doubt> doubts = new ArrayList<>();

    Doubts(Subject subject, Evidence evidence, Distribution all) {
        this.subject = subject;
        this.evidence = evidence;
        this.all = all;
    }

    List<Doubt> all() {
        if (!subject.observed()) {
            add(
                    "no-observed-time",
                    "the changes do not say when they could first be seen (time.observed: none), so how late they come is not"
                            + " known, nor whether any lookback suffices: have the source stamp them, or audit the table"
                            + " against the source");
        }
        trends();
        presence();
        recovery();
        return List.copyOf(doubts);
    }

    private void trends() {
        List<Day> days = List.copyOf(evidence.days().values());
        if (days.size() < DAYS_OF_A_TREND) {
            return;
        }
        Distribution early = sum(days.subList(0, days.size() / 2));
        Distribution recent = sum(days.subList(days.size() / 2, days.size()));
        long earlyAge = early.maxAge();
        if (recent.maxAge() > subject.lookback() && recent.maxMillis() > GROWTH * early.maxMillis()) {
            add(
                    "no-plateau",
                    "the greatest lateness has not settled: " + span(early.maxMillis()) + " (age " + earlyAge
                            + ") in the first half of the days, " + span(recent.maxMillis()) + " (age "
                            + recent.maxAge()
                            + ") in the second; no lookback is known to suffice, and if corrections of any"
                            + " age must come in by themselves, none will");
        }
        long before = early.millis(Quantile.P99);
        long now = recent.millis(Quantile.P99);
        if (now > DRIFT * before && now >= LEAST_DRIFT.toMillis()) {
            add(
                    "drifting",
                    "the source gets later: p99 was " + span(before) + " in the first half of the days and is "
                            + span(now) + " in the second; a wider lookback would only hide it");
        }
    }

    private void presence() {
        long unnamed = evidence.withoutEventTime();
        if (unnamed > 0) {
            add(
                    "no-event-time",
                    String.format(
                            Locale.ROOT,
                            "%,d changes were rejected because they have no event time: a lookback cannot hold what names no"
                                    + " partition",
                            unnamed));
        }
        long unknown = evidence.ledger().stream()
                .filter(late -> late.reason().equals("unknown-record"))
                .mapToLong(Evidence.Late::rows)
                .sum();
        if (unknown > 0) {
            add(
                    "deletes-of-unknown",
                    String.format(
                            Locale.ROOT,
                            "%,d deletes were of records that are not remembered and name no partition: no lookback brings"
                                    + " them in, a larger retain or an event time on deletes does",
                            unknown));
        }
        if (subject.append()) {
            add(
                    "append",
                    "the job only appends: a corrected row counts beside the old one, and what the source withdraws stays");
        } else if (!subject.deletes()) {
            add(
                    "no-deletes",
                    "the job knows no deletes (changes.delete): what the source withdraws stays, in whatever window");
        }
    }

    private void recovery() {
        if (subject.recordsRead() > 0 && subject.recordsRead() < SMALL) {
            add(
                    "small",
                    String.format(
                            Locale.ROOT,
                            "%,d records in all are few: recomputing everything at each run is simpler, and needs no lookback",
                            subject.recordsRead()));
        }
        boolean outside = all.beyond(subject.lookback()).changes() > 0
                || evidence.ledger().stream().anyMatch(late -> late.rows() > 0);
        if (outside && !subject.rebuilt()) {
            add(
                    "no-recovery",
                    "changes came outside of the window, and no rebuild has ever been done: that they can be brought in is not"
                            + " shown yet");
        }
    }

    private void add(String name, String message) {
        doubts.add(new Doubt(name, message));
    }

    private static Distribution sum(List<Day> days) {
        Distribution sum = new Distribution();
        for (Day day : days) {
            sum.add(day.first());
            sum.add(day.corrections());
        }
        return sum;
    }

    private static String span(long millis) {
        Duration span = Duration.ofMillis(Math.max(0, millis));
        if (span.toHours() >= 48) {
            return String.format(Locale.ROOT, "%.1f d", span.toMinutes() / 1440.0);
        }
        if (span.toMinutes() >= 120) {
            return String.format(Locale.ROOT, "%.1f h", span.toMinutes() / 60.0);
        }
        return span.toSeconds() >= 120
                ? String.format(Locale.ROOT, "%.1f min", span.toSeconds() / 60.0)
                : String.format(Locale.ROOT, "%.1f s", span.toMillis() / 1000.0);
    }
}
