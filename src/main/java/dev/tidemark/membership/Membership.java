package dev.tidemark.membership;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Horizon;
import dev.tidemark.gate.JobBound;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.Payload;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Member;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rule of membership: given what is remembered of a record and a change of it, what is to be added to and retracted
 * from which cells, what is late, and what is remembered afterwards. Section 4 of the contract; the fine points are in
 * ARCHITECTURE.md. Not thread-safe.
 *
 * <p>A record has a live version, the newest, which is in the full truth of its cell if its partition was retained; and a
 * copy that stands in a published truth, which nearly always is the live version too. What a change does to each:
 *
 * <ul>
 *   <li>full truth: the live version goes if its partition is still retained, the new one comes if its partition is;
 *   <li>published truth, if at least one half is open: the copy goes if its partition is open, the new version comes if its
 *       half is. A copy in a closed partition stays there, as its ledger row says; it is remembered until another stands.
 * </ul>
 *
 * <p>A member that stays behind in a cell while its record goes on has a namesake if the record comes back to the cell: so
 * later members of the record go by another id there.
 */
public final class Membership {
    private final Gate gate;
    private final Payload payload;
    private final boolean upsert;
    private final boolean versioned;
    private final boolean identified;
    private final boolean isOneLog;
    /** Whether columns see the day after; then nothing is withheld, because only the cells could withhold it. */
    private final boolean looksAhead;

    private final Hasher64 hasher = Hashing.xxh3_64();
    private final ByteBuilder scratch = new ByteBuilder();
    private final Judgement judgement = new Judgement();
    private @Nullable Copy left;
    private int namesakes;

    public Membership(JobPlan plan) {
        this(plan, new Gate(plan));
    }

    private Membership(JobPlan plan, Gate gate) {
        this.gate = gate;
        this.payload = new Payload(plan);
        this.upsert = plan.changes().mode() == JobPlan.Mode.UPSERT;
        this.versioned = !plan.changes().version().isEmpty();
        this.identified = plan.changes().hasId();
        this.isOneLog = plan.source().isOneLog();
        this.looksAhead = plan.identity() != null;
    }

    /**
     * The same rule over a whole history: of {@link Change#unjudged} changes, nothing is closed, withheld or forgotten.
     */
    static Membership ofWholeHistory(JobPlan plan) {
        return new Membership(plan, Gate.ofWholeHistory(plan));
    }

    /** Closes what the job's bound, where it stands now, closes to logs that are behind it. */
    public void follow(JobBound bound) {
        gate.follow(bound);
    }

    /** Judges a change of a record of which {@code remembered} is known. The answer is valid until the next call. */
    public Judgement judge(@Nullable RecordMemory remembered, Change change) {
        Horizon horizon = gate.horizon(change.frontier(), change.wholeFrom(), change.closedBefore());
        RecordMemory memory =
                remembered == null || remembered.rememberedUnder() < horizon.rememberedFrom() ? null : remembered;
        long partition = change.hasEventTime() ? gate.calendar().partitionOf(change.eventTime()) : LateChange.UNKNOWN;
        long rememberedUnder = Math.max(horizon.frontier(), partition);
        judgement.clear();
        left = null;
        namesakes = remembered == null ? 0 : remembered.namesakes();
        judgement.correction = memory != null;
        if (memory != null) {
            rememberedUnder = Math.max(rememberedUnder, memory.rememberedUnder());
            if (isSuperseded(memory, change)) {
                judgement.outcome = Outcome.SUPERSEDED;
                judgement.memory = memory.rememberedAtLeast(rememberedUnder, observedAtLeast(memory, change));
                nameCellOfReplay(change, partition, horizon);
                return judgement;
            }
        }
        if (memory == null && remembered != null && (remembered.held() || remembered.copy() != null)) {
            namesakes++;
        }
        if (change.delete()) {
            judgeDelete(memory, change, partition, horizon, rememberedUnder);
        } else {
            judgeUpsert(memory, change, partition, horizon, rememberedUnder);
        }
        if (looksAhead) {
            judgement.openFrom = Math.max(horizon.openFrom(), horizon.wholeFrom());
            if (!change.replayed()) {
                judgement.neighbour = neighbour(change, horizon);
            }
        }
        return judgement;
    }

    /** If a half is in the first open day, the day before, which sees it, is closed. */
    private @Nullable LateChange neighbour(Change change, Horizon horizon) {
        long first = judgement.openFrom;
        if (!isIn(first, judgement.first) && !isIn(first, judgement.second) && !isIn(first, judgement.third)) {
            return null;
        }
        long before = gate.calendar().plus(first, -1);
        LateReason closed = gate.closedBecause(before, horizon);
        return closed == null
                ? null
                : late(change, Half.NEIGHBOUR, before, Bytes.EMPTY, judgement.latenessEventTime, horizon, closed);
    }

    private static boolean isIn(long partition, @Nullable Contribution contribution) {
        return contribution != null
                && contribution.partition() == partition
                && (contribution.minus() != null || contribution.plus() != null);
    }

    /**
     * When it was counted, the logs may have been read in another order: then the version stood in its cell, and may stand
     * in what is published. If no other member goes in or out there, the cell has to be asked, so that the row goes.
     */
    private void nameCellOfReplay(Change change, long partition, Horizon horizon) {
        Bytes key = change.key();
        if (change.replayed() && !isOneLog && key != null && gate.isOpen(partition, horizon)) {
            judgement.first = Contribution.nothing(partition, key);
        }
    }

    private void judgeUpsert(
            @Nullable RecordMemory memory, Change change, long partition, Horizon horizon, long rememberedUnder) {
        LateReason closed = gate.closedBecause(partition, horizon);
        judgement.latenessEventTime = change.eventTime();
        judgement.age = gate.age(partition, horizon);
        boolean open = closed == null;
        Bytes key = Objects.requireNonNull(change.key(), "an upsert has a key");
        Bytes row = Objects.requireNonNull(change.row(), "an upsert has a row");
        boolean anyOpen = open;
        if (memory == null || memory.deleted()) {
            judgement.outcome = open ? Outcome.APPLIED : Outcome.LATE;
        } else {
            anyOpen |= judgeOldHalf(memory, change, partition, horizon, open);
        }
        if (memory != null) {
            withdraw(memory, change.recordId(), horizon, anyOpen);
        }
        if (closed == null) {
            noteAge(judgement.age);
            if (left != null) {
                namesakes++;
                left = null;
            }
            add(partition, key, member(change, row), Layer.BOTH);
        } else {
            Half half = judgement.outcome == Outcome.SPLIT || judgement.oldLate != null ? Half.NEW : Half.WHOLE;
            judgement.late = late(change, half, partition, key, change.eventTime(), horizon, closed);
            if (isHeld(partition, horizon)) {
                add(partition, key, member(change, row), Layer.WITHHELD);
            }
        }
        if (identified) {
            judgement.memory = upsert
                    ? new RecordMemory(
                            false,
                            open,
                            open || isHeld(partition, horizon),
                            change.version(),
                            change.observedAt(),
                            change.log(),
                            change.sequence(),
                            change.eventTime(),
                            partition,
                            key,
                            row,
                            rememberedUnder,
                            namesakes,
                            left)
                    : RecordMemory.ofDelete(change, rememberedUnder, namesakes, null);
        }
    }

    /** The half where the record lives now; sets the outcome and says whether it is open. */
    private boolean judgeOldHalf(RecordMemory memory, Change change, long partition, Horizon horizon, boolean open) {
        LateReason closed = gate.closedBecause(memory.partition(), horizon);
        boolean oldOpen = closed == null;
        if (closed == null) {
            noteAge(gate.age(memory.partition(), horizon));
        } else if (open || memory.partition() != partition) {
            judgement.oldLate =
                    late(change, Half.OLD, memory.partition(), memory.key(), memory.eventTime(), horizon, closed);
        }
        if (open == oldOpen) {
            judgement.outcome = open ? Outcome.APPLIED : Outcome.LATE;
        } else {
            judgement.outcome = Outcome.SPLIT;
        }
        return oldOpen;
    }

    private void judgeDelete(
            @Nullable RecordMemory memory, Change change, long partition, Horizon horizon, long rememberedUnder) {
        judgement.outcome = Outcome.APPLIED;
        judgement.latenessEventTime = change.eventTime();
        if (memory != null && memory.deleted()) {
            left = memory.copy();
            judgement.age = change.hasEventTime() ? gate.age(partition, horizon) : 0;
        } else if (memory != null) {
            LateReason closed = gate.closedBecause(memory.partition(), horizon);
            judgement.age = gate.age(memory.partition(), horizon);
            if (!change.hasEventTime()) {
                judgement.latenessEventTime = memory.eventTime();
            }
            if (closed == null) {
                noteAge(judgement.age);
            } else {
                judgement.outcome = Outcome.LATE;
                judgement.late =
                        late(change, Half.WHOLE, memory.partition(), memory.key(), memory.eventTime(), horizon, closed);
            }
            withdraw(memory, change.recordId(), horizon, closed == null);
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
        judgement.memory = identified ? deleted(memory, change, rememberedUnder) : null;
    }

    /** A tombstone takes the version, and the observed time, of what it withdraws: an older upsert stays out. */
    private RecordMemory deleted(@Nullable RecordMemory memory, Change change, long rememberedUnder) {
        if (memory != null && versioned && change.version().isEmpty()) {
            return RecordMemory.deleted(
                    memory.version(),
                    Math.max(memory.observedAt(), change.observedAt()),
                    change.log(),
                    change.sequence(),
                    rememberedUnder,
                    namesakes,
                    left);
        }
        return RecordMemory.ofDelete(change, rememberedUnder, namesakes, left);
    }

    /** Whether what is remembered stands against the change: the version is judged first, then equality, then order. */
    private boolean isSuperseded(RecordMemory memory, Change change) {
        if (!upsert) {
            return true;
        }
        // A tombstone has no version: it follows what it finds, in the order of positions.
        if (versioned && !(change.delete() && change.version().isEmpty())) {
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

    /**
     * Takes out what a newer version replaces, as far as it may be; what stands all the same is {@link #left}.
     *
     * @param anyOpen whether the change acts on the published truth at all
     */
    private void withdraw(RecordMemory memory, Bytes id, Horizon horizon, boolean anyOpen) {
        if (memory.standing() && anyOpen && gate.isOpen(memory.partition(), horizon)) {
            judgement.first = new Contribution(memory.partition(), memory.key(), live(id, memory), null, Layer.BOTH);
            return;
        }
        if (memory.held() && !looksAhead) {
            if (gate.isRetained(memory.partition(), horizon)) {
                send(new Contribution(memory.partition(), memory.key(), live(id, memory), null, Layer.WITHHELD));
            } else {
                namesakes++;
            }
        }
        Copy copy = memory.standing() ? memory.newest() : memory.copy();
        if (copy != null && !memory.standing() && anyOpen && gate.isOpen(copy.partition(), horizon)) {
            Layer layer = looksAhead ? Layer.BOTH : Layer.PUBLISHED;
            send(new Contribution(copy.partition(), copy.key(), member(id, copy), null, layer));
        } else {
            left = copy;
        }
    }

    /** Whether the full truth of a cell takes what the published one does not show. */
    private boolean isHeld(long partition, Horizon horizon) {
        return !looksAhead && gate.isRetained(partition, horizon);
    }

    private void add(long partition, Bytes key, Member member, Layer layer) {
        Contribution first = judgement.first;
        if (first != null
                && first.layer() == layer
                && first.partition() == partition
                && first.key().equals(key)) {
            judgement.first = new Contribution(partition, key, first.minus(), member, layer);
        } else {
            send(new Contribution(partition, key, null, member, layer));
        }
    }

    private void send(Contribution contribution) {
        if (judgement.first == null) {
            judgement.first = contribution;
        } else if (judgement.second == null) {
            judgement.second = contribution;
        } else {
            judgement.third = contribution;
        }
    }

    private Member live(Bytes id, RecordMemory memory) {
        return new Member(
                named(id, memory.namesakes()),
                memory.version(),
                memory.log(),
                memory.sequence(),
                memory.eventTime(),
                memory.row(),
                hash(id, memory.version()));
    }

    private Member member(Bytes id, Copy copy) {
        return new Member(
                named(id, copy.namesakes()),
                copy.version(),
                copy.log(),
                copy.sequence(),
                copy.eventTime(),
                copy.row(),
                hash(id, copy.version()));
    }

    private Member member(Change change, Bytes row) {
        return new Member(
                named(change.recordId(), namesakes),
                change.version(),
                change.log(),
                change.sequence(),
                change.eventTime(),
                row,
                hash(change.recordId(), change.version()));
    }

    /** The id that a member goes by in its cell. Record ids are UTF-8, which has no byte like the one behind it here. */
    private Bytes named(Bytes id, int number) {
        if (number == 0) {
            return id;
        }
        scratch.clear();
        scratch.put(id.array(), 0, id.length());
        scratch.put(0xff);
        scratch.putVarint(number);
        return scratch.build();
    }

    private LateChange late(
            Change change,
            Half half,
            long partition,
            @Nullable Bytes key,
            long eventTime,
            Horizon horizon,
            LateReason reason) {
        judgement.overtaken |=
                half != Half.NEIGHBOUR && reason == LateReason.STATE_EXPIRED && partition >= horizon.rememberedFrom();
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
