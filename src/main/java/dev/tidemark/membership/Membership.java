package dev.tidemark.membership;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Horizon;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.Payload;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Member;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rule of membership: given what is remembered of a record and a change of it, what is to be added to and retracted
 * from which cells, what is late, and what is remembered afterwards. Section 4 of the contract; the fine points are in
 * ARCHITECTURE.md. Not thread-safe.
 */
public final class Membership {
    private final Gate gate;
    private final Payload payload;
    private final boolean upsert;
    private final boolean versioned;
    private final boolean identified;
    private final Hasher64 hasher = Hashing.xxh3_64();
    private final ByteBuilder scratch = new ByteBuilder();
    private final Judgement judgement = new Judgement();

    public Membership(JobPlan plan) {
        this.gate = new Gate(plan);
        this.payload = new Payload(plan);
        this.upsert = plan.changes().mode() == JobPlan.Mode.UPSERT;
        this.versioned = !plan.changes().version().isEmpty();
        this.identified = plan.changes().hasId();
    }

    /** The bounds at a change. */
    public Horizon horizon(Change change) {
        return gate.horizon(change.frontier());
    }

    /** Judges a change of a record of which {@code remembered} is known. The answer is valid until the next call. */
    public Judgement judge(@Nullable RecordMemory remembered, Change change) {
        Horizon horizon = gate.horizon(change.frontier());
        RecordMemory memory =
                remembered == null || remembered.rememberedUnder() < horizon.retainedFrom() ? null : remembered;
        long partition = change.hasEventTime() ? gate.calendar().partitionOf(change.eventTime()) : LateChange.UNKNOWN;
        long rememberedUnder = Math.max(horizon.frontier(), partition);
        judgement.clear();
        judgement.correction = memory != null;
        if (memory != null) {
            rememberedUnder = Math.max(rememberedUnder, memory.rememberedUnder());
            if (isSuperseded(memory, change)) {
                judgement.outcome = Outcome.SUPERSEDED;
                judgement.memory = memory.rememberedAtLeast(rememberedUnder, observedAtLeast(memory, change));
                return judgement;
            }
        }
        if (change.delete()) {
            judgeDelete(memory, change, partition, horizon, rememberedUnder);
        } else {
            judgeUpsert(memory, change, partition, horizon, rememberedUnder);
        }
        return judgement;
    }

    private void judgeUpsert(
            @Nullable RecordMemory memory, Change change, long partition, Horizon horizon, long rememberedUnder) {
        LateReason closed = gate.closedBecause(partition, horizon);
        judgement.latenessEventTime = change.eventTime();
        judgement.age = gate.age(partition, horizon);
        boolean open = closed == null;
        Bytes key = Objects.requireNonNull(change.key(), "an upsert has a key");
        Bytes row = Objects.requireNonNull(change.row(), "an upsert has a row");
        if (memory == null || memory.deleted()) {
            judgement.outcome = open ? Outcome.APPLIED : Outcome.LATE;
        } else {
            judgeOldHalf(memory, change, partition, horizon, open);
        }
        if (closed == null) {
            noteAge(judgement.age);
            add(partition, key, member(change, row), horizon);
        } else {
            Half half = judgement.outcome == Outcome.SPLIT || judgement.oldLate != null ? Half.NEW : Half.WHOLE;
            judgement.late = late(change, half, partition, key, change.eventTime(), horizon, closed);
        }
        if (identified) {
            judgement.memory = upsert
                    ? new RecordMemory(
                            false,
                            open,
                            change.version(),
                            change.observedAt(),
                            change.log(),
                            change.sequence(),
                            change.eventTime(),
                            partition,
                            key,
                            row,
                            rememberedUnder)
                    : RecordMemory.ofDelete(change, rememberedUnder);
        }
    }

    /** The half where the record lives now; sets the outcome. */
    private void judgeOldHalf(RecordMemory memory, Change change, long partition, Horizon horizon, boolean open) {
        LateReason closed = gate.closedBecause(memory.partition(), horizon);
        boolean oldOpen = closed == null;
        if (closed == null) {
            noteAge(gate.age(memory.partition(), horizon));
            retract(memory, change.recordId(), horizon);
        } else if (open || memory.partition() != partition) {
            judgement.oldLate =
                    late(change, Half.OLD, memory.partition(), memory.key(), memory.eventTime(), horizon, closed);
        }
        if (open == oldOpen) {
            judgement.outcome = open ? Outcome.APPLIED : Outcome.LATE;
        } else {
            judgement.outcome = Outcome.SPLIT;
        }
    }

    private void judgeDelete(
            @Nullable RecordMemory memory, Change change, long partition, Horizon horizon, long rememberedUnder) {
        judgement.memory = identified ? RecordMemory.ofDelete(change, rememberedUnder) : null;
        judgement.outcome = Outcome.APPLIED;
        judgement.latenessEventTime = change.eventTime();
        if (memory != null && memory.deleted()) {
            judgement.age = change.hasEventTime() ? gate.age(partition, horizon) : 0;
        } else if (memory != null) {
            LateReason closed = gate.closedBecause(memory.partition(), horizon);
            judgement.age = gate.age(memory.partition(), horizon);
            if (!change.hasEventTime()) {
                judgement.latenessEventTime = memory.eventTime();
            }
            if (closed == null) {
                noteAge(judgement.age);
                retract(memory, change.recordId(), horizon);
            } else {
                judgement.outcome = Outcome.LATE;
                judgement.late =
                        late(change, Half.WHOLE, memory.partition(), memory.key(), memory.eventTime(), horizon, closed);
            }
        } else if (change.hasEventTime()) {
            LateReason closed = gate.closedBecause(partition, horizon);
            judgement.age = gate.age(partition, horizon);
            if (closed == null) {
                noteAge(judgement.age);
            } else {
                judgement.outcome = Outcome.LATE;
                judgement.late = late(change, Half.WHOLE, partition, null, change.eventTime(), horizon, closed);
            }
        } else if (upsert) {
            // Where records only append, nothing can have been there that is withdrawn.
            judgement.outcome = Outcome.LATE;
            judgement.late = late(
                    change,
                    Half.WHOLE,
                    LateChange.UNKNOWN,
                    null,
                    LateChange.UNKNOWN,
                    horizon,
                    LateReason.UNKNOWN_RECORD);
        }
    }

    /** Whether what is remembered stands against the change: the version is judged first, then equality, then order. */
    private boolean isSuperseded(RecordMemory memory, Change change) {
        if (!upsert) {
            return true;
        }
        if (versioned) {
            int version = change.version().compareTo(memory.version());
            if (version != 0) {
                return version < 0;
            }
            if (saysTheSame(memory, change)) {
                return true;
            }
            int observed = Long.compare(change.observedAt(), memory.observedAt());
            if (observed != 0) {
                return observed < 0;
            }
        }
        return comparePositions(change, memory) < 0;
    }

    /** A copy that was observed later speaks for what it copies: another version of equal rank must be later still. */
    private long observedAtLeast(RecordMemory memory, Change change) {
        return upsert && change.version().equals(memory.version()) && saysTheSame(memory, change)
                ? Math.max(memory.observedAt(), change.observedAt())
                : memory.observedAt();
    }

    private static boolean saysTheSame(RecordMemory memory, Change change) {
        if (change.delete() || memory.deleted()) {
            return change.delete() && memory.deleted();
        }
        return change.eventTime() == memory.eventTime()
                && Objects.equals(change.key(), memory.key())
                && Objects.equals(change.row(), memory.row());
    }

    private static int comparePositions(Change change, RecordMemory memory) {
        return change.log().equals(memory.log())
                ? Long.compare(change.sequence(), memory.sequence())
                : Bytes.utf8(change.log()).compareTo(Bytes.utf8(memory.log()));
    }

    private void retract(RecordMemory memory, Bytes id, Horizon horizon) {
        if (memory.standing()) {
            judgement.first = new Contribution(
                    memory.partition(),
                    memory.key(),
                    new Member(
                            id,
                            memory.version(),
                            memory.log(),
                            memory.sequence(),
                            memory.eventTime(),
                            memory.row(),
                            hash(id, memory.version())),
                    null,
                    horizon.retainedFrom());
        }
    }

    private void add(long partition, Bytes key, Member member, Horizon horizon) {
        Contribution retraction = judgement.first;
        if (retraction == null) {
            judgement.first = new Contribution(partition, key, null, member, horizon.retainedFrom());
        } else if (retraction.partition() == partition && retraction.key().equals(key)) {
            judgement.first = new Contribution(partition, key, retraction.minus(), member, horizon.retainedFrom());
        } else {
            judgement.second = new Contribution(partition, key, null, member, horizon.retainedFrom());
        }
    }

    private Member member(Change change, Bytes row) {
        return new Member(
                change.recordId(),
                change.version(),
                change.log(),
                change.sequence(),
                change.eventTime(),
                row,
                hash(change.recordId(), change.version()));
    }

    private LateChange late(
            Change change,
            Half half,
            long partition,
            @Nullable Bytes key,
            long eventTime,
            Horizon horizon,
            LateReason reason) {
        return new LateChange(
                change.split(),
                change.offset(),
                half,
                identified ? change.recordId().text() : null,
                change.delete(),
                partition,
                key,
                eventTime,
                change.observedAt(),
                partition == LateChange.UNKNOWN ? LateChange.UNKNOWN : gate.age(partition, horizon),
                change.frontier(),
                horizon.openFrom(),
                reason,
                payload.json(change));
    }

    private void noteAge(long age) {
        judgement.exceedsHalf |= gate.exceedsHalf(age);
    }

    private long hash(Bytes id, Bytes version) {
        scratch.clear();
        scratch.put(id.array(), 0, id.length());
        scratch.put(0);
        scratch.put(version.array(), 0, version.length());
        return scratch.hash(hasher);
    }
}
