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
        StringBuilder text = new StringBuilder();
        if (progress.publications() == 0) {
            line(text, "records read", "0   nothing new since publication " + progress.lastPublication());
        } else {
            line(text, "records read", number(progress.read()));
            line(text, "  applied", number(progress.applied()));
            line(text, "  superseded", number(progress.superseded()));
            line(text, "  late", number(progress.late()) + (progress.late() > 0 ? "   see: tidemark ledger" : ""));
            line(
                    text,
                    "  split",
                    number(progress.split()) + (progress.split() > 0 ? "   half of each is in the ledger" : ""));
            line(
                    text,
                    "  rejected",
                    number(progress.rejected()) + (progress.rejected() > 0 ? "   see: tidemark rejected" : ""));
            line(text, "cells", number(progress.cells()) + " written, " + number(progress.removed()) + " removed");
            line(
                    text,
                    "publications",
                    number(progress.publications()) + "   the last is number " + progress.lastPublication());
        }
        line(text, "frontier", shown(progress.frontierLeast()));
        line(text, "complete from", shown(progress.completeFrom()) + "   equal to a full recomputation from here on");
        line(text, "closed before", shown(progress.closedBefore()) + "   no longer changed by the stream");
        line(
                text,
                "target",
                plan.target().schema() + "." + plan.target().table() + ", by "
                        + plan.partition().grain().word() + " in "
                        + plan.partition().zone());
        line(text, "took", String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0));
        return text.toString();
    }

    static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String shown(@Nullable Object value) {
        return value == null ? "none yet" : value.toString();
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append(String.format(Locale.ROOT, "%-15s %s%n", name, value));
    }
}
