package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Progress;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a run came to, for people. */
final class RunSummary {
    private RunSummary() {}

    static String text(JobPlan plan, Progress progress, Duration took) {
        Sheet sheet = new Sheet();
        if (progress.publications() > 0) {
            counts(sheet, progress);
        } else if (progress.lastPublication() > 0) {
            sheet.line(
                    "nothing new",
                    "all that is in the source was published before, the last with publication "
                            + progress.lastPublication());
        } else {
            sheet.line("nothing read", "there is no record in " + plan.source().name());
        }
        sheet.line("frontier", shown(progress.frontierLeast()));
        sheet.line("complete from", bound(progress.completeFrom(), "equal to a full recomputation from here on"));
        sheet.line("closed before", bound(progress.closedBefore(), "the stream no longer changes what is earlier"));
        sheet.line(
                "target",
                plan.target().schema() + "." + plan.target().table() + ", by "
                        + plan.partition().grain().word() + " in "
                        + plan.partition().zone());
        sheet.line("took", String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0));
        return sheet.text();
    }

    private static void counts(Sheet sheet, Progress progress) {
        sheet.number("records read", progress.read(), "");
        sheet.number("  applied", progress.applied(), "");
        sheet.number("  superseded", progress.superseded(), "");
        sheet.number("  late", progress.late(), "see: tidemark ledger");
        sheet.number("  split", progress.split(), "half of each is late, see: tidemark ledger");
        sheet.number("  rejected", progress.rejected(), "see: tidemark rejected");
        sheet.line(
                "cells", Words.number(progress.cells()) + " written, " + Words.number(progress.removed()) + " removed");
        sheet.line(
                "publications",
                Words.number(progress.publications()) + "   the last is number " + progress.lastPublication());
    }

    private static String bound(@Nullable String partition, String meaning) {
        return partition == null ? "none yet" : partition + "   " + meaning;
    }

    private static String shown(@Nullable Object value) {
        return value == null ? "none yet" : value.toString();
    }
}
