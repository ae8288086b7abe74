package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.ReopenedRange;
import dev.tidemark.recovery.Widening;
import dev.tidemark.recovery.Widening.Arguments;
import dev.tidemark.recovery.Widening.Step;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;

/** A widening in words. */
final class WideningReport {
    private WideningReport() {}

    /** What will happen. */
    static String intent(
            JobPlan plan,
            ReopenedRange range,
            int present,
            Arguments arguments,
            long openRows,
            String flinkJob,
            URI address,
            FlinkJobs.Settings settings) {
        Calendar calendar = Gate.calendarOf(plan);
        Sheet sheet = new Sheet()
                .line(
                        "Flink job",
                        flinkJob + " at " + address + ", parallelism " + settings.parallelism()
                                + ", a checkpoint every " + Words.spanOfMillis(settings.checkpointIntervalMillis()))
                .line(
                        "lookback",
                        present + ", to be " + arguments.lookback()
                                + (arguments.thenNarrow() ? ", then " + present + " again" : ""));
        if (range.isEmpty()) {
            sheet.line("reopened", "no partition: all that it would reopen is open or was published whole");
        } else {
            String last = calendar.iso(calendar.plus(range.before(), -1));
            sheet.line(
                    "reopened",
                    calendar.iso(range.from()) + " to " + last + ", "
                            + Words.count(range.partitions(calendar), "partition"));
            sheet.line("ledger", Words.count(openRows, "open row") + " of these partitions");
        }
        return sheet.text().stripTrailing();
    }

    /** A step in words. */
    static String word(Step step) {
        return step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** What the last step has brought; empty: nothing to tell. */
    static String reached(Widening widening) {
        return switch (widening.step()) {
            case CHECKED, DONE -> "";
            case STOPPED, STOPPED_AGAIN -> "stopped, savepoint " + widening.savepoint();
            case RESTORED, RESTORED_AGAIN ->
                "restored with the lookback " + widening.lookbackNow() + " as Flink job " + widening.flinkJob();
            case WIDENED -> "widened by publication " + widening.publication();
        };
    }

    /** How things stand when it does not go on, and what a person can do by hand. */
    static String standing(Widening widening, Path jobFile) {
        String savepoint = widening.savepoint();
        String flinkJob = widening.flinkJob();
        return switch (widening.step()) {
            case CHECKED ->
                savepoint == null
                        ? "the Flink job " + widening.origin().flinkJob()
                                + " was perhaps asked to stop: look whether it runs"
                        : stopped(widening, savepoint, jobFile);
            case WIDENED ->
                "publication " + widening.publication() + " has widened; the Flink job " + flinkJob
                        + (widening.arguments().thenNarrow()
                                ? " was perhaps asked to stop again: look whether it runs"
                                : " goes on");
            case STOPPED, STOPPED_AGAIN ->
                flinkJob != null && widening.step() == Step.STOPPED
                        ? "the Flink job " + flinkJob + " was perhaps submitted; else "
                                + stopped(widening, String.valueOf(savepoint), jobFile)
                        : stopped(widening, String.valueOf(savepoint), jobFile);
            case RESTORED, RESTORED_AGAIN ->
                "the job was restored from the savepoint " + savepoint + " with the lookback " + widening.lookbackNow()
                        + " as Flink job " + flinkJob;
            case DONE -> "it is done";
        };
    }

    private static String stopped(Widening widening, String savepoint, Path jobFile) {
        return "the job is stopped; its savepoint is " + savepoint + System.lineSeparator()
                + "by hand: flink run -d -s " + savepoint + " target/tidemark.jar run --job " + jobFile + " --lookback "
                + widening.lookbackNow();
    }

    /** What it came to. */
    static String end(Widening widening, JobPlan plan) {
        Sheet sheet = new Sheet()
                .line("widened", "by publication " + widening.publication())
                .line("Flink job", widening.flinkJob())
                .line("lookback", widening.lookbackNow());
        if (widening.lookbackNow() != plan.partition().lookback()) {
            sheet.line(
                    "",
                    "the job file says " + plan.partition().lookback()
                            + ": set partition.lookback there, or give --lookback with the next run");
        }
        return sheet.text();
    }
}
