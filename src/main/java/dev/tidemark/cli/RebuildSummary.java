package dev.tidemark.cli;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.recovery.RebuildWindow;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What a rebuild came to, or would, for people. */
final class RebuildSummary {
    private RebuildSummary() {}

    static String text(JobPlan plan, Path file, Rebuild rebuild, Rebuilds.Result result, Duration took) {
        RebuildWindow windows = new RebuildWindow(plan);
        boolean trial = rebuild.trial();
        Sheet sheet = new Sheet();
        sheet.line(trial ? "would rebuild" : "rebuilt", windows.shown(rebuild.span()));
        sheet.line("history", rebuild.history() + asOf(rebuild));
        sheet.line(
                "records read",
                Words.number(result.scanned()) + ", " + bytes(result.bytes())
                        + (result.rejected() > 0
                                ? ", of which " + Words.number(result.rejected())
                                        + " do not count; see: tidemark rejected"
                                : ""));
        sheet.line(trial ? "would change" : "partitions", Words.count(result.partitions(), "partition"));
        sheet.line(
                "rows",
                (trial ? "would write " : "written ") + Words.number(result.rowsWritten()) + " ("
                        + Words.number(result.rowsNew()) + " new), " + (trial ? "would remove " : "removed ")
                        + Words.number(result.rowsRemoved()));
        sheet.line(
                "late changes",
                Words.number(result.incorporated()) + (trial ? " would be" : "") + " marked incorporated");
        for (PartitionSpan gap : rebuild.gaps()) {
            sheet.line("gap", windows.shown(gap) + "   not filled by anybody: " + command(plan, file, gap));
        }
        if (!trial) {
            sheet.line("publication", result.publication());
        }
        sheet.line(
                "took",
                String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0) + "   the job was locked for "
                        + result.lockMillis() + " ms");
        if (trial) {
            sheet.line("dry run", "nothing is changed");
        }
        return sheet.text();
    }

    private static String asOf(Rebuild rebuild) {
        List<LogCut> logs = rebuild.logs();
        if (logs == null) {
            return ", to its end";
        }
        return ", as of publication " + rebuild.streamed();
    }

    private static String command(JobPlan plan, Path file, PartitionSpan gap) {
        Calendar calendar =
                new Calendar(plan.partition().grain(), plan.partition().zone());
        return "tidemark rebuild --job " + file + " --from " + calendar.iso(gap.first()) + " --to "
                + calendar.iso(gap.last());
    }

    private static String bytes(long bytes) {
        if (bytes < 10_000) {
            return Words.count(bytes, "byte");
        }
        return bytes < 10_000_000 ? Words.number(bytes / 1_000) + " kB" : Words.number(bytes / 1_000_000) + " MB";
    }
}
