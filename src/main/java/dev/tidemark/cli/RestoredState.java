package dev.tidemark.cli;

import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.RestoreException;
import dev.tidemark.job.Definition;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.SavedState;
import dev.tidemark.publish.LastRun;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The state that a run is to begin from, looked at beforehand. */
final class RestoredState {
    private final String path;
    private final @Nullable SavedState saved;

    private RestoredState(String path, @Nullable SavedState saved) {
        this.path = path;
        this.saved = saved;
    }

    /**
     * Reads what it says of itself. A cluster may see other files than this process: what cannot be read from here is then
     * for the cluster to judge, which does so when the job starts.
     *
     * @throws CommandException if there is no state in the path
     */
    static RestoredState of(String path, Path jobFile) {
        try {
            return new RestoredState(path, SavedState.read(path));
        } catch (RestoreException foreign) {
            throw foreign;
        } catch (IOException | RuntimeException failure) {
            if (CommandLineInterface.isUnderFlinkClient()) {
                return new RestoredState(path, null);
            }
            throw CommandException.failed(
                    "no state can be restored from " + path + ": " + failure.getMessage()
                            + "; name the folder of a savepoint or of a retained checkpoint (chk-...) of the job in "
                            + jobFile,
                    failure);
        }
    }

    /** @throws RestoreException if the job cannot go on with it, or frontiers cannot be reset so */
    void requireFor(JobPlan plan, FrontierResets resets) {
        if (saved == null) {
            return;
        }
        Definition definition = saved.definition();
        refuse(definition == null ? null : definition.refusal(plan));
        if (!resets.isEmpty() && definition != null && plan.partition().lookback() > definition.lookback()) {
            throw CommandException.wrongUse(
                    "a larger lookback (%d, the state has %d) and %s cannot be given in one run: reset the frontier first, and"
                            + " widen once that is published",
                    plan.partition().lookback(), definition.lookback(), FrontierResetOption.NAME);
        }
        refuse(resets.refusal(saved.frontiers()));
    }

    /** Under which lookback it was written, as far as it or the warehouse says. */
    int lookback(LastRun last) {
        Definition definition = saved == null ? null : saved.definition();
        return definition == null ? last.lookback() : definition.lookback();
    }

    private void refuse(@Nullable String reason) {
        if (reason != null) {
            throw new RestoreException(path + ": " + reason);
        }
    }
}
