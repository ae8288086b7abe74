package dev.tidemark.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.JobStatus;
import dev.tidemark.publish.StatusCheck;
import dev.tidemark.source.Backlog;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A job's status, for people and for programs. */
final class StatusReport {
    private StatusReport() {}

    static String text(
            JobStatus status,
            Backlog backlog,
            EvidenceStatus evidence,
            List<StatusCheck.Warning> warnings,
            JobPlan plan,
            Instant now) {
        Sheet sheet = new Sheet().line("job", status.job()).line("target", status.target());
        run(sheet, status.run(), now);
        operation(sheet, status.operation(), now);
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
        backlog(sheet, backlog);
        for (JobStatus.FrontierReset reset : status.frontierResets()) {
            sheet.line(
                    "frontier reset",
                    FrontierResets.shown(reset.log()) + " to " + reset.frontier() + ", "
                            + since(reset.requestedAt(), now));
        }
        JobStatus.Rebuild rebuild = status.lastRebuild();
        sheet.line(
                "last rebuild",
                rebuild == null
                        ? "never"
                        : partitions(rebuild) + ", took "
                                + Words.span(Duration.between(rebuild.startedAt(), rebuild.finishedAt())) + ", "
                                + since(rebuild.finishedAt(), now));
        evidence.addTo(sheet, now);
        StringBuilder text = new StringBuilder(sheet.text());
        for (StatusCheck.Warning warning : warnings) {
            text.append("warning: ").append(Table.plain(warning.message())).append(System.lineSeparator());
        }
        return text.toString();
    }

    static String json(
            JobStatus status,
            Backlog backlog,
            EvidenceStatus evidence,
            List<StatusCheck.Warning> warnings,
            JobPlan plan,
            Instant now) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("job", status.job()).put("target", status.target()).put("zone", status.zone());
        json.put("read_at", now.toString());
        JobStatus.Run run = status.run();
        json.put("epoch", run.epoch())
                .put("attempt", run.attempt())
                .put("flink_job_id", run.flinkJobId())
                .put(
                        "checkpoint_interval_ms",
                        run.checkpointInterval() == null
                                ? null
                                : run.checkpointInterval().toMillis())
                .put("started_at", iso(run.startedAt()))
                .put("heartbeat_at", iso(run.heartbeatAt()))
                .put("retired_at", iso(run.retiredAt()));
        json.put("lookback", status.lookback())
                .put("lookback_because", status.because())
                .put("lookback_in_file", plan.partition().lookback())
                .put("retain", status.retain());
        JobStatus.Last last = status.last();
        JobStatus.Operation operation = status.operation();
        if (operation == null) {
            json.putNull("operation");
        } else {
            json.putObject("operation")
                    .put("kind", operation.kind())
                    .put("step", operation.step())
                    .put("error", operation.error())
                    .put("started_at", operation.startedAt().toString())
                    .put("updated_at", operation.updatedAt().toString());
        }
        json.put("publication", last == null ? 0 : last.publication())
                .put("kind", last == null ? null : last.kind())
                .put("published_at", last == null ? null : last.publishedAt().toString())
                .put("frontier_least", last == null ? null : iso(last.frontierLeast()))
                .put("frontier_greatest", last == null ? null : iso(last.frontierGreatest()))
                .put("frontier_least_behind_ms", last == null ? null : behindMillis(last.frontierLeast(), now))
                .put("frontier_greatest_behind_ms", last == null ? null : behindMillis(last.frontierGreatest(), now))
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
        ObjectNode left = json.putObject("backlog");
        if (backlog instanceof Backlog.Records records) {
            left.put("records", records.records()).put("partitions", records.partitions());
        } else if (backlog instanceof Backlog.Files files) {
            left.put("files", files.files()).put("bytes", files.bytes());
        } else if (backlog instanceof Backlog.Unknown unknown) {
            left.put("unknown", unknown.reason());
        }
        ArrayNode resets = json.putArray("frontier_resets");
        status.frontierResets()
                .forEach(reset -> resets.addObject()
                        .put("log", reset.log())
                        .put("frontier", reset.frontier().toString())
                        .put("requested_at", reset.requestedAt().toString()));
        JobStatus.Rebuild rebuild = status.lastRebuild();
        json.put(
                "last_rebuild_at", rebuild == null ? null : rebuild.finishedAt().toString());
        json.put(
                "last_rebuild_ms",
                rebuild == null
                        ? null
                        : Duration.between(rebuild.startedAt(), rebuild.finishedAt())
                                .toMillis());
        json.put("last_rebuild_from", rebuild == null ? null : rebuild.fromPartition())
                .put("last_rebuild_to", rebuild == null ? null : rebuild.toPartition());
        evidence.addTo(json);
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
        if (run.checkpointInterval() != null) {
            sheet.line("checkpoints", "every " + Words.span(run.checkpointInterval()));
        }
        sheet.line("heartbeat", since(run.heartbeatAt(), now));
        if (run.retiredAt() != null) {
            sheet.line("retired", since(run.retiredAt(), now));
        }
    }

    private static void operation(Sheet sheet, JobStatus.@Nullable Operation operation, Instant now) {
        if (operation != null) {
            sheet.line(
                    "operation",
                    operation.kind() + ", behind the step " + operation.step() + ", "
                            + since(operation.updatedAt(), now));
            if (operation.error() != null) {
                sheet.foreign("", operation.error());
            }
        }
    }

    /** Which partitions a rebuild replaced, in the words of its own summary. */
    private static String partitions(JobStatus.Rebuild rebuild) {
        String from = rebuild.fromPartition();
        String to = rebuild.toPartition();
        if (from == null) {
            return to == null ? "all partitions" : "up to " + to;
        }
        if (to == null) {
            return "from " + from + " on";
        }
        return from.equals(to) ? from : from + " to " + to;
    }

    private static void backlog(Sheet sheet, Backlog backlog) {
        if (backlog instanceof Backlog.Records records) {
            sheet.line(
                    "backlog",
                    Words.count(records.records(), "record")
                            + (records.records() == 0 ? "" : " in " + Words.count(records.partitions(), "partition")));
        } else if (backlog instanceof Backlog.Files files) {
            sheet.line(
                    "backlog",
                    Words.count(files.files(), "file") + " not begun"
                            + (files.files() == 0 ? "" : ", " + Words.number(files.bytes()) + " bytes"));
        } else if (backlog instanceof Backlog.Unknown unknown) {
            sheet.foreign("backlog", "unknown: " + unknown.reason());
        }
    }

    /** How far a frontier is behind the clock, in words. */
    private static String behind(@Nullable Instant frontier, Instant now) {
        if (frontier == null) {
            return "";
        }
        Duration behind = Duration.between(frontier, now);
        return behind.isNegative()
                ? ", " + Words.span(behind.negated()) + " ahead of the clock"
                : ", " + Words.span(behind) + " behind the clock";
    }

    private static @Nullable Long behindMillis(@Nullable Instant frontier, Instant now) {
        return frontier == null ? null : Duration.between(frontier, now).toMillis();
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
        sheet.line(
                "publication",
                last.publication() + (last.kind().equals("stream") ? "" : " (" + last.kind() + ")") + ", "
                        + since(last.publishedAt(), now));
        if (status.carriedParts() > 0) {
            sheet.line(
                    "",
                    "catching up: what is read lies behind what is published; "
                            + Words.count(status.carriedParts(), "part") + " carried");
        }
        if (Objects.equals(last.frontierLeast(), last.frontierGreatest())) {
            sheet.line(
                    "frontier",
                    last.frontierLeast() == null ? null : last.frontierLeast() + behind(last.frontierLeast(), now));
        } else {
            sheet.line(
                    "frontier",
                    (last.frontierLeast() == null
                                    ? "not known yet"
                                    : last.frontierLeast() + behind(last.frontierLeast(), now))
                            + ", of the least advanced log");
            sheet.line("", last.frontierGreatest() + behind(last.frontierGreatest(), now) + ", of the most advanced");
        }
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
        return Words.second(instant) + ", " + Words.ago(instant, now);
    }

    private static @Nullable String iso(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
