package dev.tidemark.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.JobStatus;
import dev.tidemark.publish.StatusCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A job's status, for people and for programs. */
final class StatusReport {
    private StatusReport() {}

    static String text(JobStatus status, List<StatusCheck.Warning> warnings, JobPlan plan, Instant now) {
        Sheet sheet = new Sheet().line("job", status.job()).line("target", status.target());
        run(sheet, status.run(), now);
        lookback(sheet, status, plan);
        last(sheet, status, now);
        totals(sheet, status.totals());
        JobStatus.OpenLate late = status.openLate();
        sheet.line("open late", openLate(late));
        if (late.oldestRecorded() != null) {
            sheet.line("  oldest", since(late.oldestRecorded(), now));
        }
        if (status.skippedFileCount() > 0) {
            sheet.line("skipped files", Words.number(status.skippedFileCount()));
        }
        sheet.line("backlog", "unknown: what is left of the source shows only when it is read");
        JobStatus.Rebuild rebuild = status.lastRebuild();
        sheet.line(
                "last rebuild",
                rebuild == null
                        ? "never"
                        : rebuild.fromPartition() + " to " + rebuild.toPartition() + ", "
                                + since(rebuild.finishedAt(), now));
        sheet.line("reconciliation", "unmeasured");
        StringBuilder text = new StringBuilder(sheet.text());
        for (StatusCheck.Warning warning : warnings) {
            text.append("warning: ").append(Table.plain(warning.message())).append(System.lineSeparator());
        }
        return text.toString();
    }

    static String json(JobStatus status, List<StatusCheck.Warning> warnings, Instant now) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("job", status.job()).put("target", status.target()).put("zone", status.zone());
        json.put("read_at", now.toString());
        JobStatus.Run run = status.run();
        json.put("epoch", run.epoch())
                .put("attempt", run.attempt())
                .put("flink_job_id", run.flinkJobId())
                .put("started_at", iso(run.startedAt()))
                .put("heartbeat_at", iso(run.heartbeatAt()))
                .put("retired_at", iso(run.retiredAt()));
        json.put("lookback", status.lookback())
                .put("lookback_because", status.because())
                .put("retain", status.retain());
        JobStatus.Last last = status.last();
        json.put("publication", last == null ? 0 : last.publication())
                .put("published_at", last == null ? null : last.publishedAt().toString())
                .put("frontier_least", last == null ? null : iso(last.frontierLeast()))
                .put("frontier_greatest", last == null ? null : iso(last.frontierGreatest()))
                .put("complete_from", last == null ? null : last.completeFrom())
                .put("closed_before", last == null ? null : last.closedBefore())
                .put("catching_up", status.carriedParts() > 0);
        JobStatus.Totals totals = status.totals();
        json.putObject("totals")
                .put("publications", totals.publications())
                .put("records_read", totals.read())
                .put("applied", totals.applied())
                .put("superseded", totals.superseded())
                .put("late", totals.late())
                .put("split", totals.split())
                .put("rejected", totals.rejected());
        JobStatus.Recent recent = status.recent();
        json.putObject("recent")
                .put("since", recent.since().toString())
                .put("publications", recent.publications())
                .put("rejected", recent.rejected())
                .put("half_window_exceeded", recent.halfWindowExceeded());
        ObjectNode late = json.putObject("open_late");
        late.put("rows", status.openLate().rows())
                .put("oldest_recorded_at", iso(status.openLate().oldestRecorded()));
        ObjectNode reasons = late.putObject("by_reason");
        status.openLate().reasons().forEach(reason -> reasons.put(reason.reason(), reason.rows()));
        json.put("skipped_files", status.skippedFileCount());
        json.putNull("backlog");
        JobStatus.Rebuild rebuild = status.lastRebuild();
        json.put(
                "last_rebuild_at", rebuild == null ? null : rebuild.finishedAt().toString());
        json.put("reconciliation", "unmeasured");
        ArrayNode list = json.putArray("warnings");
        warnings.forEach(warning -> list.addObject().put("name", warning.name()).put("message", warning.message()));
        return json.toPrettyString() + System.lineSeparator();
    }

    private static void run(Sheet sheet, JobStatus.Run run, Instant now) {
        if (run.epoch() == 0) {
            sheet.line("started", "never");
            return;
        }
        sheet.line("writer", "epoch " + run.epoch() + ", attempt " + run.attempt() + ", Flink job " + run.flinkJobId());
        sheet.line("started", since(run.startedAt(), now));
        sheet.line("heartbeat", since(run.heartbeatAt(), now));
        if (run.retiredAt() != null) {
            sheet.line("retired", since(run.retiredAt(), now));
        }
    }

    private static void lookback(Sheet sheet, JobStatus status, JobPlan plan) {
        String grain = plan.partition().grain().word();
        sheet.line("lookback", Words.count(status.lookback(), grain) + ", " + reason(status.because()));
        if (status.lookback() != plan.partition().lookback()) {
            sheet.line("", "the job file says " + plan.partition().lookback() + "; it holds from the next run on");
        }
        sheet.line("retain", Words.count(status.retain(), grain) + " in " + status.zone());
    }

    private static String reason(@Nullable String because) {
        if (because == null) {
            return "a hypothesis: no evidence given";
        }
        return JobPlan.LOOKBACK_OF_THE_RUN.equals(because)
                ? "a hypothesis: " + because
                : "because: " + Table.plain(because);
    }

    private static void last(Sheet sheet, JobStatus status, Instant now) {
        JobStatus.Last last = status.last();
        if (last == null) {
            sheet.line("publication", "none yet");
            return;
        }
        sheet.line("publication", last.publication() + ", " + since(last.publishedAt(), now));
        if (status.carriedParts() > 0) {
            sheet.line("", "catching up: what is read lies behind what is published");
        }
        sheet.line(
                "frontier",
                Objects.equals(last.frontierLeast(), last.frontierGreatest())
                        ? last.frontierLeast()
                        : (last.frontierLeast() == null ? "not known yet" : last.frontierLeast()) + " to "
                                + last.frontierGreatest());
        sheet.line("complete from", last.completeFrom());
        sheet.line("closed before", last.closedBefore());
    }

    private static void totals(Sheet sheet, JobStatus.Totals totals) {
        sheet.number("records read", totals.read(), "in " + Words.count(totals.publications(), "publication"));
        sheet.number("  applied", totals.applied(), "");
        sheet.number("  superseded", totals.superseded(), "");
        sheet.number("  late", totals.late(), "");
        sheet.number("  split", totals.split(), "");
        sheet.number("  rejected", totals.rejected(), "see: tidemark rejected");
    }

    private static String openLate(JobStatus.OpenLate late) {
        if (late.rows() == 0) {
            return "none";
        }
        return Words.count(late.rows(), "ledger row") + ": "
                + late.reasons().stream()
                        .map(reason -> Words.number(reason.rows()) + " " + reason.reason())
                        .collect(Collectors.joining(", "));
    }

    /** An instant to the second, and how long ago that is. */
    private static @Nullable String since(@Nullable Instant instant, Instant now) {
        if (instant == null) {
            return null;
        }
        Duration age = Duration.between(instant, now);
        return Words.second(instant) + ", " + (age.isNegative() ? "just now" : Words.span(age) + " ago");
    }

    private static @Nullable String iso(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
