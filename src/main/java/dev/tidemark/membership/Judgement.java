package dev.tidemark.membership;

import dev.tidemark.ledger.LateChange;
import dev.tidemark.partition.Contribution;
import org.jspecify.annotations.Nullable;

/** The answer to one change. Mutable and reused: it is valid until the next change is judged. */
public final class Judgement {
    Outcome outcome = Outcome.APPLIED;

    @Nullable
    RecordMemory memory;

    @Nullable
    Contribution first;

    @Nullable
    Contribution second;

    @Nullable
    Contribution third;

    @Nullable
    LateChange oldLate;

    @Nullable
    LateChange late;

    @Nullable
    LateChange neighbour;

    long openFrom;

    boolean correction;
    boolean exceedsHalf;
    boolean overtaken;
    long latenessEventTime;
    long age;

    void clear() {
        memory = null;
        first = null;
        second = null;
        third = null;
        oldLate = null;
        late = null;
        neighbour = null;
        openFrom = Long.MIN_VALUE;
        correction = false;
        exceedsHalf = false;
        overtaken = false;
        latenessEventTime = LateChange.UNKNOWN;
        age = 0;
    }

    public Outcome outcome() {
        return outcome;
    }

    /** What to remember of the record from now on; null: nothing is remembered in this mode. */
    public @Nullable RecordMemory memory() {
        return memory;
    }

    /** What to send to a cell; contributions to one cell must arrive in their order. */
    public @Nullable Contribution first() {
        return first;
    }

    /** What to send to another cell. */
    public @Nullable Contribution second() {
        return second;
    }

    /** What to send to a cell besides: only where the published truth and the full one part. */
    public @Nullable Contribution third() {
        return third;
    }

    /** The ledger row of the old half. */
    public @Nullable LateChange oldLate() {
        return oldLate;
    }

    /** The ledger row of the new half, or of the whole change. */
    public @Nullable LateChange late() {
        return late;
    }

    /**
     * The ledger row of the partition before the first open one, for jobs whose columns look ahead: it is closed, so that what
     * changes there because of an open half is missed. Whether anything would is for others to say. Null: nobody asks, or
     * the change was counted already.
     */
    public @Nullable LateChange neighbour() {
        return neighbour;
    }

    /** The first partition that is open for the change. */
    public long openFrom() {
        return openFrom;
    }

    /** Whether the record was known. */
    public boolean correction() {
        return correction;
    }

    /** Whether an open half lies in the older half of the lookback. */
    public boolean exceedsHalf() {
        return exceedsHalf;
    }

    /** Whether a half is late only because its log is behind what the other logs have closed. */
    public boolean overtaken() {
        return overtaken;
    }

    /** The event time that lateness is counted from; {@link LateChange#UNKNOWN}: none. */
    public long latenessEventTime() {
        return latenessEventTime;
    }

    /** Partitions from the change's partition to the frontier's; negative beyond it. */
    public long age() {
        return age;
    }
}
