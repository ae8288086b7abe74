package dev.tidemark.kit;

import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.recovery.Widening;
import dev.tidemark.recovery.Widenings;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Widenings of one job in memory. */
public final class MemoryWidenings implements Widenings {
    private @Nullable Widening open;
    private @Nullable Widening done;
    private final List<String> closed = new ArrayList<>();

    @Override
    public @Nullable Widening open() {
        return open;
    }

    @Override
    public @Nullable Widening lastDone() {
        return done;
    }

    /** Of those that are closed: the last step and the note. */
    public List<String> closed() {
        return List.copyOf(closed);
    }

    @Override
    public void begin(Widening widening) {
        if (open != null) {
            throw new RecoveryException("another operation of the job has begun at this moment");
        }
        open = widening;
    }

    @Override
    public void record(Widening before, Widening after) {
        requireOpen(before);
        open = after.isDone() ? null : after;
        if (after.isDone()) {
            closed.add("DONE: " + after.refusal());
            done = after.refusal() == null ? after : done;
        }
    }

    @Override
    public void failed(Widening widening, String error) {
        requireOpen(widening);
    }

    @Override
    public void close(Widening widening, String note) {
        requireOpen(widening);
        open = null;
        closed.add(widening.step() + ": " + note);
    }

    @Override
    public void close() {}

    private void requireOpen(Widening before) {
        if (!before.equals(open)) {
            throw new RecoveryException("another process goes on with this operation");
        }
    }
}
