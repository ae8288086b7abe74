package dev.tidemark.recovery;

import dev.tidemark.recovery.FlinkJobs.Phase;
import dev.tidemark.recovery.FlinkJobs.Stop;
import dev.tidemark.recovery.Widening.Step;
import dev.tidemark.recovery.Widening.Turn;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a widening, one after the other: stop with a savepoint, restore wider, wait for the publication that widens,
 * and, if that was asked for, stop and restore as before.
 *
 * <p>Each effect is recorded before it may take place, by an id that is chosen for it, and after it did. Who finds an id
 * without an outcome asks Flink what became of it, and does it again with the same id if Flink knows nothing. So a process
 * may die anywhere, also between an effect and its record, and another one goes on.
 */
public final class WideningSteps {
    private final String flinkName;
    private final Ports ports;
    private final Check check;
    private final @Nullable String savepoints;

    /**
     * @param flinkName what Flink calls the job
     * @param savepoints the folder for savepoints; null: where Flink is set to put them
     */
    public WideningSteps(String flinkName, Ports ports, Check check, @Nullable String savepoints) {
        this.flinkName = flinkName;
        this.ports = ports;
        this.check = check;
        this.savepoints = savepoints;
    }

    /**
     * The outside.
     *
     * @param ids new random ids
     */
    public record Ports(
            Widenings widenings,
            FlinkJobs flink,
            Restart.Submitter submitter,
            WriterWatch writer,
            Waiting waiting,
            Supplier<UUID> ids) {}

    /** What stands in the way of the larger lookback, asked again when the job has stopped. */
    @FunctionalInterface
    public interface Check {
        List<Obstacle> obstacles();
    }

    /** Lets time pass while something is waited for. */
    @FunctionalInterface
    public interface Waiting {
        /** Waits a little. */
        void pass(String what);
    }

    /**
     * Does the next step of a widening that is not done, and gives it as it then stands, recorded.
     *
     * @throws RecoveryException if it cannot be done; the widening stays open, unless nothing has been stopped
     */
    public Widening next(Widening widening) {
        return switch (widening.step()) {
            case CHECKED -> stop(widening, widening.origin().flinkJob(), Step.STOPPED);
            case STOPPED -> restore(checkedAgain(widening), Step.RESTORED);
            case RESTORED -> widening.refusal() == null ? awaitPublication(widening) : awaitWriter(widening);
            case WIDENED ->
                widening.arguments().thenNarrow()
                        ? stop(widening, Objects.requireNonNull(widening.wider().flinkJob()), Step.STOPPED_AGAIN)
                        : recorded(widening, widening.at(Step.DONE));
            case STOPPED_AGAIN -> restore(widening, Step.RESTORED_AGAIN);
            case RESTORED_AGAIN -> awaitWriter(widening);
            case DONE -> throw new IllegalArgumentException("it is done");
        };
    }

    // -------------------------------------------------------------------------------------------------------- stop

    private Widening stop(Widening before, String flinkJob, Step step) {
        Widening widening = before;
        if (widening.turn().trigger() == null) {
            widening = recorded(widening, widening.with(Turn.NONE.stopping(id())));
        }
        String trigger = Objects.requireNonNull(widening.turn().trigger());
        while (true) {
            Phase phase = ports.flink().phase(flinkJob);
            if (phase == null) {
                throw new RecoveryException(
                        "Flink does not know the job %s any more, and so not whether it was stopped with a savepoint",
                        flinkJob);
            }
            if (phase == Phase.RUNNING) {
                ports.flink().stop(flinkJob, trigger, savepoints);
            }
            Stop stop = ports.flink().stop(flinkJob, trigger);
            String savepoint = savepoint(flinkJob, phase, stop);
            if (savepoint != null) {
                return recorded(
                        widening,
                        widening.with(widening.turn().stopped(savepoint)).at(step));
            }
            if (phase.isOver()) {
                throw ended(widening, flinkJob, phase);
            }
            if (stop instanceof Stop.Failed failed && ports.flink().phase(flinkJob) == Phase.RUNNING) {
                throw notStopped(recorded(widening, widening.with(Turn.NONE)), flinkJob, failed.cause());
            }
            ports.waiting().pass("Flink job " + flinkJob + " to stop with a savepoint");
        }
    }

    /** Of a job that is over also one that somebody else has asked for, or that Flink has forgotten who asked for. */
    private @Nullable String savepoint(String flinkJob, Phase phase, Stop stop) {
        if (stop instanceof Stop.Stopped stopped) {
            return stopped.savepoint();
        }
        return phase.isOver() ? ports.flink().savepoint(flinkJob) : null;
    }

    /** What failed before anything was stopped is over: the job goes on as it was. */
    private RecoveryException notStopped(Widening widening, String flinkJob, String cause) {
        String message = "the Flink job " + flinkJob + " could not be stopped with a savepoint and goes on: " + cause;
        if (!widening.hasStopped()) {
            ports.widenings().close(widening, message);
        }
        return new RecoveryException("%s", message);
    }

    private RecoveryException ended(Widening widening, String flinkJob, Phase phase) {
        String message = "the Flink job " + flinkJob + " has " + phase.word() + " without a savepoint"
                + (phase == Phase.FAILED ? ": " + ports.flink().failure(flinkJob) : "");
        if (!widening.hasStopped()) {
            ports.widenings().close(widening, message);
        }
        return new RecoveryException("%s", message);
    }

    // ----------------------------------------------------------------------------------------------------- restore

    /** What has come between the check and the stop may be more than the state holds: then the job goes on as it was. */
    private Widening checkedAgain(Widening widening) {
        if (widening.refusal() != null || widening.wider().flinkJob() != null) {
            return widening;
        }
        List<Obstacle> obstacles = check.obstacles();
        return obstacles.isEmpty()
                ? widening
                : recorded(
                        widening,
                        widening.refused(obstacles.get(0).partition() + ": "
                                + obstacles.get(0).words()));
    }

    private Widening restore(Widening before, Step step) {
        Widening widening = before;
        String chosen = widening.turn().flinkJob();
        Phase phase = chosen == null ? null : ports.flink().phase(chosen);
        if (phase != null && !phase.isOver()) {
            return recorded(widening, widening.at(step));
        }
        if (chosen == null || phase != null) {
            // A job that is over has used up its id.
            widening = recorded(
                    widening,
                    widening.with(
                            widening.turn().restoring(id(), ports.ids().get().toString())));
        }
        requireAlone();
        submit(restart(widening));
        return recorded(widening, widening.at(step));
    }

    /** A submission whose answer was lost, or that was made twice at once, has taken place all the same. */
    private void submit(Restart restart) {
        try {
            ports.submitter().submit(restart);
        } catch (RecoveryException failure) {
            Phase phase = ports.flink().phase(restart.flinkJob());
            if (phase == null || phase.isOver()) {
                throw failure;
            }
        }
    }

    private void requireAlone() {
        List<String> live = ports.flink().live(flinkName);
        if (!live.isEmpty()) {
            throw new RecoveryException(
                    "somebody else has started the job meanwhile, as Flink job %s: cancel that, then repeat the command; or"
                            + " keep it, and give this operation up with --abandon",
                    String.join(", ", live));
        }
    }

    private static Restart restart(Widening widening) {
        Turn turn = widening.turn();
        return new Restart(
                Objects.requireNonNull(turn.flinkJob()),
                Objects.requireNonNull(turn.submission()),
                Objects.requireNonNull(turn.savepoint()),
                widening.lookbackNow(),
                widening.origin().settings());
    }

    // ------------------------------------------------------------------------------------------------------- await

    private Widening awaitPublication(Widening widening) {
        String flinkJob = Objects.requireNonNull(widening.wider().flinkJob());
        String submission = Objects.requireNonNull(widening.wider().submission());
        while (true) {
            Phase phase = ports.flink().phase(flinkJob);
            // Asked behind the phase: a job that is over publishes nothing more.
            Long publication = ports.writer().widening(submission);
            if (publication != null) {
                return recorded(widening, widening.published(publication).at(Step.WIDENED));
            }
            requireGoingOn(widening, flinkJob, phase, Step.STOPPED);
            ports.waiting().pass("the publication that widens, by Flink job " + flinkJob);
        }
    }

    private Widening awaitWriter(Widening widening) {
        String flinkJob = Objects.requireNonNull(widening.turn().flinkJob());
        String submission = Objects.requireNonNull(widening.turn().submission());
        while (true) {
            Phase phase = ports.flink().phase(flinkJob);
            if (phase == Phase.RUNNING && ports.writer().isAlive(submission)) {
                return recorded(widening, widening.at(Step.DONE));
            }
            requireGoingOn(widening, flinkJob, phase, widening.isNarrowing() ? Step.STOPPED_AGAIN : Step.STOPPED);
            ports.waiting().pass("the first checkpoint of Flink job " + flinkJob);
        }
    }

    /** A restored job that is over is restored again, from the same savepoint, when the command is repeated. */
    private void requireGoingOn(Widening widening, String flinkJob, @Nullable Phase phase, Step back) {
        if (phase == null) {
            recorded(
                    widening,
                    widening.with(widening.turn().restoring(null, null)).at(back));
            throw new RecoveryException("Flink does not know the restored job %s any more", flinkJob);
        }
        if (phase.isOver()) {
            recorded(
                    widening,
                    widening.with(widening.turn().restoring(null, null)).at(back));
            throw new RecoveryException(
                    "the restored Flink job %s has %s%s",
                    flinkJob,
                    phase.word(),
                    phase == Phase.FAILED ? ": " + ports.flink().failure(flinkJob) : "");
        }
    }

    // ------------------------------------------------------------------------------------------------------ record

    private Widening recorded(Widening before, Widening after) {
        ports.widenings().record(before, after);
        return after;
    }

    /** An id of 32 hexadecimal digits, as Flink's are. */
    private String id() {
        return ports.ids().get().toString().replace("-", "");
    }
}
