package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * Partitions on the command line: {@code P}, or {@code FROM..TO} with both ends. A date stands for the partition that it
 * lies in (its day, week, month), with the grain hour for all of its hours, where an instant stands for one hour.
 *
 * @param from the first partition as ISO text; {@code to} the last
 */
record PartitionRange(String from, String to) {

    static PartitionRange parse(String text, JobPlan plan) {
        return parse("--partition", text, plan);
    }

    /** The range that an option names. */
    static PartitionRange parse(String option, String text, JobPlan plan) {
        return parse(option, text, plan.partition().grain(), plan.partition().zone());
    }

    static PartitionRange parse(String text, Grain grain, ZoneId zone) {
        return parse("--partition", text, grain, zone);
    }

    private static PartitionRange parse(String option, String text, Grain grain, ZoneId zone) {
        Calendar calendar = new Calendar(grain, zone);
        int dots = text.indexOf("..");
        String first = dots < 0 ? text : text.substring(0, dots);
        String last = dots < 0 ? text : text.substring(dots + 2);
        try {
            PartitionRange range = new PartitionRange(first(first, calendar), last(last, calendar));
            if (range.from().compareTo(range.to()) > 0) {
                throw CommandException.wrongUse("%s: %s is later than %s", option, first, last);
            }
            return range;
        } catch (DateTimeException | ArithmeticException wrong) {
            throw CommandException.wrongUse(
                    "%s: '%s' is not %s, or two of them as FROM..TO", option, text, form(grain));
        }
    }

    /** The partition, or the hours of a date, that an option names. */
    static PartitionRange ofOne(String option, String text, JobPlan plan) {
        Grain grain = plan.partition().grain();
        Calendar calendar = new Calendar(grain, plan.partition().zone());
        try {
            return new PartitionRange(first(text, calendar), last(text, calendar));
        } catch (DateTimeException | ArithmeticException wrong) {
            throw CommandException.wrongUse("%s: '%s' is not %s", option, text, form(grain));
        }
    }

    private static String form(Grain grain) {
        return grain == Grain.HOUR ? "a date or an instant such as 2024-03-10T14:00:00Z" : "a date such as 2024-03-10";
    }

    private static String first(String text, Calendar calendar) {
        return calendar.iso(
                isInstant(text, calendar) ? hour(text, calendar) : calendar.partitionFrom(LocalDate.parse(text)));
    }

    private static String last(String text, Calendar calendar) {
        if (calendar.grain() != Grain.HOUR) {
            return first(text, calendar);
        }
        if (isInstant(text, calendar)) {
            return calendar.iso(hour(text, calendar));
        }
        return calendar.iso(
                calendar.plus(calendar.partitionFrom(LocalDate.parse(text).plusDays(1)), -1));
    }

    private static boolean isInstant(String text, Calendar calendar) {
        return calendar.grain() == Grain.HOUR && text.indexOf('T') > 0;
    }

    private static long hour(String text, Calendar calendar) {
        return calendar.partitionOf(Values.micros(Instant.parse(text)));
    }
}
