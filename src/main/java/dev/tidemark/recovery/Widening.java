package dev.tidemark.recovery;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One widening of a job: what was asked for, and how far it has come. It is recorded before and after each effect, so that
 * whoever reads it knows what may have happened: an id that stands without its outcome belongs to an effect that perhaps
 * took place.
 *
 * @param origin what there was when it began
 * @param wider the turn to the larger lookback
 * @param publication the publication that widened; null: not yet
 * @param narrower the turn back
 * @param refusal why, once stopped, the job could not be widened after all and goes on as it was; null: it could
 */
public record Widening(
        UUID operation,
        String job,
        Arguments arguments,
        Step step,
        Origin origin,
        Turn wider,
        @Nullable Long publication,
        Turn narrower,
        @Nullable String refusal) {

    /** What was asked for. Who repeats it must ask for the same. */
    public record Arguments(int lookback, boolean thenNarrow) {}

    /** The last step that is done. */
    public enum Step {
        CHECKED,
        STOPPED,
        RESTORED,
        WIDENED,
        STOPPED_AGAIN,
        RESTORED_AGAIN,
        DONE
    }

    /**
     * What there was before.
     *
     * @param lookback the job's
     * @param publication its last one
     * @param flinkJob the one that ran
     */
    public record Origin(int lookback, long publication, String flinkJob, FlinkJobs.Settings settings) {}

    /**
     * A stop and a restore.
     *
     * @param trigger the chosen id of the stop; null: not asked for yet
     * @param savepoint what it left; null: not stopped yet
     * @param flinkJob the chosen id of the restored job; null: not submitted yet; {@code submission} likewise
     */
    public record Turn(
            @Nullable String trigger,
            @Nullable String savepoint,
            @Nullable String flinkJob,
            @Nullable String submission) {
        static final Turn NONE = new Turn(null, null, null, null);

        Turn stopping(@Nullable String chosen) {
            return new Turn(chosen, null, null, null);
        }

        Turn stopped(String left) {
            return new Turn(trigger, left, null, null);
        }

        Turn restoring(@Nullable String chosenJob, @Nullable String chosenSubmission) {
            return new Turn(trigger, savepoint, chosenJob, chosenSubmission);
        }
    }

    /** A widening that has been found possible. */
    public static Widening checked(UUID operation, String job, Arguments arguments, Origin origin) {
        return new Widening(operation, job, arguments, Step.CHECKED, origin, Turn.NONE, null, Turn.NONE, null);
    }

    /** Whether nothing is left to do. */
    public boolean isDone() {
        return step == Step.DONE;
    }

    /** Whether the job that ran in the beginning has been stopped for certain. */
    public boolean hasStopped() {
        return wider.savepoint() != null;
    }

    /** Whether it is on the way back, or will come back, to the lookback that it had. */
    public boolean isNarrowing() {
        return arguments.thenNarrow() && step.compareTo(Step.WIDENED) >= 0;
    }

    /** The lookback that the job is restored with next, or was last. */
    public int lookbackNow() {
        return refusal != null || isNarrowing() ? origin.lookback() : arguments.lookback();
    }

    /** The newest savepoint; null: none yet. */
    public @Nullable String savepoint() {
        return narrower.savepoint() == null ? wider.savepoint() : narrower.savepoint();
    }

    /** The submission that was restored last; null: none yet. */
    public @Nullable String submission() {
        return narrower.submission() == null ? wider.submission() : narrower.submission();
    }

    /** The Flink job that was restored last; null: none yet. */
    public @Nullable String flinkJob() {
        return narrower.flinkJob() == null ? wider.flinkJob() : narrower.flinkJob();
    }

    Turn turn() {
        return isNarrowing() ? narrower : wider;
    }

    Widening at(Step done) {
        return new Widening(operation, job, arguments, done, origin, wider, publication, narrower, refusal);
    }

    Widening with(Turn turn) {
        return isNarrowing()
                ? new Widening(operation, job, arguments, step, origin, wider, publication, turn, refusal)
                : new Widening(operation, job, arguments, step, origin, turn, publication, narrower, refusal);
    }

    Widening published(long number) {
        return new Widening(operation, job, arguments, step, origin, wider, number, narrower, refusal);
    }

    Widening refused(String why) {
        return new Widening(operation, job, arguments, step, origin, wider, publication, narrower, why);
    }
}
