package dev.tidemark.cli;

import dev.tidemark.job.Definition;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobSpec;
import dev.tidemark.job.SpecDifference;
import dev.tidemark.publish.LastRun;
import dev.tidemark.publish.WarehouseException;
import dev.tidemark.publish.jdbc.Initialization;
import dev.tidemark.recovery.Obstacle;
import dev.tidemark.recovery.RecoveryException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job file beside what a warehouse knows of the job.
 *
 * @param last null: the warehouse does not know the job
 * @param misfit why the target does not fit; null: it does
 * @param widening what a larger lookback comes to; null: it is not larger
 */
record Comparison(
        JobPlan plan,
        @Nullable LastRun last,
        boolean hasTarget,
        @Nullable String misfit,
        @Nullable Widening widening) {

    /** What a larger lookback comes to; {@code obstacle} null: the state holds all that it opens again. */
    record Widening(int before, @Nullable String obstacle) {}

    static Comparison of(JobPlan plan, Wiring wiring) {
        Initialization initialization = wiring.initialization(plan);
        LastRun last = initialization.lastRun();
        String misfit = null;
        try {
            initialization.requireFit();
        } catch (WarehouseException unfit) {
            misfit = String.valueOf(unfit.getMessage());
        }
        return new Comparison(plan, last, initialization.hasTarget(), misfit, widening(plan, last, wiring));
    }

    private static @Nullable Widening widening(JobPlan plan, @Nullable LastRun last, Wiring wiring) {
        if (last == null || !last.hasPublished() || plan.partition().lookback() <= last.lookback()) {
            return null;
        }
        try {
            List<Obstacle> obstacles = Widened.obstacles(plan, wiring);
            return new Widening(last.lookback(), obstacles.isEmpty() ? null : Widened.refusal(plan, obstacles));
        } catch (RecoveryException nothing) {
            return new Widening(last.lookback(), null);
        }
    }

    /** Whether a run would go on with what is there. */
    boolean canGoOn() {
        return misfit == null && refusal() == null && (widening == null || widening.obstacle() == null);
    }

    String text(String warehouse) {
        Sheet sheet = new Sheet().line("warehouse", warehouse);
        lastRun(sheet);
        sheet.line(
                "target",
                misfit != null
                        ? misfit
                        : plan.target().schema() + "." + plan.target().table()
                                + (hasTarget ? " fits" : " is not there yet: `init` or `run` creates it"));
        if (widening != null) {
            sheet.line(
                    "lookback",
                    plan.partition().lookback() + " was " + widening.before() + ": "
                            + (widening.obstacle() == null
                                    ? "a restore opens again what its state holds; see `widen`"
                                    : widening.obstacle()));
        }
        return sheet.line(
                        "so",
                        canGoOn()
                                ? last == null || !last.hasPublished() ? "it can start" : "it can go on"
                                : "it cannot go on")
                .text();
    }

    private void lastRun(Sheet sheet) {
        if (last == null) {
            sheet.line("last run", "none: the warehouse does not know the job");
            return;
        }
        sheet.line(
                "last run",
                last.epoch() == 0 || last.startedAt() == null
                        ? "none, only `init`"
                        : "epoch " + last.epoch() + ", started " + Words.second(last.startedAt()));
        if (last.retiredAt() != null) {
            sheet.line("retired", Words.second(last.retiredAt()) + "; `init` takes the target up again");
        }
        List<SpecDifference> differences =
                SpecDifference.between(last.definition().spec(), JobSpec.json(plan));
        if (differences.isEmpty()) {
            sheet.line("differences", "none");
        }
        String name = "differences";
        for (SpecDifference difference : differences) {
            sheet.line(name, difference.text() + (difference.isOfTheState() ? "   the state cannot follow" : ""));
            name = "";
        }
        String refusal = refusal();
        if (refusal != null) {
            sheet.line("", refusal);
        }
    }

    /** Why the state cannot be gone on with; null: it can, or there is none that matters. */
    private @Nullable String refusal() {
        if (last == null || !last.hasPublished()) {
            return null;
        }
        Definition before = last.definition();
        return before.fingerprint().equals(JobSpec.fingerprint(plan))
                ? null
                : "take these changes back, or give the job and its target other names so that it starts anew";
    }
}
