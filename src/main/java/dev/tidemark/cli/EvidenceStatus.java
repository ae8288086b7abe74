package dev.tidemark.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tidemark.evidence.Completeness;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.evidence.Verification;
import dev.tidemark.publish.StatusCheck;
import dev.tidemark.reconcile.KeptVariances;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a job's table from outside of the job.
 *
 * <p>That it was never reconciled is said, and is no warning by itself: it would be one of every new job, and a check that is always red is
 * read by nobody. Whoever wants it to be one says how old the last reconciliation may be. That the last one failed is a
 * warning in any case.
 *
 * @param reconciliations the last one against each of the outside totals, the newest first
 * @param completeness what the last look for missing rows found; null: nobody has looked
 * @param verification the last one; null: the target was never verified
 */
record EvidenceStatus(
        List<KeptVariances.Run> reconciliations,
        @Nullable Completeness completeness,
        @Nullable Verification verification) {
    /** Of a job that was never reconciled: its error is not small, it is not measured. */
    static final String UNMEASURED = "unmeasured";

    /**
     * What calls for a person.
     *
     * @param reconciledAfter how old the last reconciliation against each of the totals may be; null: any age, and never
     */
    List<StatusCheck.Warning> warnings(@Nullable Duration reconciledAfter, Instant now) {
        List<StatusCheck.Warning> warnings = new ArrayList<>();
        for (KeptVariances.Run run : reconciliations) {
            if (!run.isPassed()) {
                warnings.add(new StatusCheck.Warning(
                        "reconciliation",
                        "the reconciliation with " + run.control() + " at " + Words.second(run.at()) + " did not pass: "
                                + String.join(", ", run.alarms())));
            }
            if (reconciledAfter != null && run.at().plus(reconciledAfter).isBefore(now)) {
                warnings.add(new StatusCheck.Warning(
                        "reconciliation-old",
                        "the last reconciliation with " + run.control() + " is of " + Words.second(run.at())
                                + ": older than it should be"));
            }
        }
        if (verification != null && !verification.isPassed()) {
            warnings.add(new StatusCheck.Warning(
                    "verification",
                    "the target is not what its history says, as of publication " + verification.publication() + ": "
                            + Words.count(verification.counts().wrong(), "row") + " wrong; see: tidemark verify"));
        }
        if (completeness != null && !completeness.isPassed()) {
            warnings.add(new StatusCheck.Warning(
                    "missing",
                    "not every source row is where it should be, as of publication " + completeness.publication() + ": "
                            + found(completeness) + "; see tidemark.missing_rows"));
        }
        if (reconciledAfter != null && reconciliations.isEmpty()) {
            warnings.add(new StatusCheck.Warning(
                    UNMEASURED, "the target was never reconciled with anything: its error is unmeasured"));
        }
        return warnings;
    }

    private static String found(Completeness completeness) {
        return Arrays.stream(Unmatched.Kind.values())
                .filter(kind -> completeness.found(kind) > 0)
                .map(kind -> Words.number(completeness.found(kind)) + " " + kind.word())
                .collect(Collectors.joining(", "));
    }

    void addTo(Sheet sheet, Instant now) {
        sheet.line("verified", verification == null ? "never" : verified(verification, now));
        if (completeness == null) {
            sheet.line("missing", UNMEASURED);
        } else {
            long rows = completeness.found().values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            sheet.line(
                    "missing",
                    (rows == 0 ? "none" : Words.count(rows, "row") + ": " + found(completeness)) + " of "
                            + Words.number(completeness.live()) + ", as of publication " + completeness.publication()
                            + ", "
                            + Words.second(completeness.finishedAt()) + ", "
                            + Words.ago(completeness.finishedAt(), now));
        }
        if (reconciliations.isEmpty()) {
            sheet.line("reconciliation", UNMEASURED);
        }
        String name = "reconciliation";
        for (KeptVariances.Run run : reconciliations) {
            String percent = ReconcileReport.percent(run.worst());
            sheet.foreign(
                    name,
                    run.control() + ": " + (run.isPassed() ? "passed" : "did not pass") + ", "
                            + Words.count(run.partitions(), "partition") + ", variance "
                            + (percent == null ? "not to be said in percent" : percent) + " of a tolerance of "
                            + ReconcileReport.words(run.tolerance()) + ", " + Words.second(run.at()) + ", "
                            + Words.ago(run.at(), now));
            name = "";
        }
    }

    private static String verified(Verification last, Instant now) {
        return (last.isPassed() ? "passed" : Words.count(last.counts().wrong(), "row") + " wrong") + ", "
                + VerifyReport.range(last.from(), last.to()) + ", as of publication " + last.publication() + ", "
                + Words.second(last.finishedAt()) + ", " + Words.ago(last.finishedAt(), now);
    }

    void addTo(ObjectNode json) {
        if (verification == null) {
            json.putNull("verification");
        } else {
            json.putObject("verification")
                    .put("passed", verification.isPassed())
                    .put("publication", verification.publication())
                    .put("from_partition", verification.from())
                    .put("to_partition", verification.to())
                    .put("equal", verification.counts().equal())
                    .put("explained", verification.counts().explained())
                    .put("beyond_memory", verification.counts().beyondMemory())
                    .put("wrong", verification.counts().wrong())
                    .put("finished_at", verification.finishedAt().toString());
        }
        if (completeness == null) {
            json.put("missing", UNMEASURED);
        } else {
            ObjectNode last = json.putObject("missing")
                    .put("passed", completeness.isPassed())
                    .put("publication", completeness.publication())
                    .put("live", completeness.live())
                    .put("late", completeness.late())
                    .put("finished_at", completeness.finishedAt().toString());
            for (Unmatched.Kind kind : Unmatched.Kind.values()) {
                last.put(kind.word(), completeness.found(kind));
            }
        }
        ArrayNode runs = json.put(
                        "reconciliation",
                        reconciliations.isEmpty()
                                ? UNMEASURED
                                : reconciliations.stream().allMatch(KeptVariances.Run::isPassed) ? "passed" : "failed")
                .putArray("reconciliations");
        for (KeptVariances.Run run : reconciliations) {
            ArrayNode alarms = runs.addObject()
                    .put("control", run.control())
                    .put("origin", run.origin())
                    .put("publication", run.publication())
                    .put("partitions", run.partitions())
                    .put("variance_percent", run.worst())
                    .put("tolerance_percent", run.tolerance().percent())
                    .put("tolerance_a_year", run.tolerance().worth())
                    .put("currency", run.tolerance().currency())
                    .put("unmatched", run.unmatched())
                    .put("reconciled_at", run.at().toString())
                    .putArray("alarms");
            run.alarms().forEach(alarms::add);
        }
    }
}
