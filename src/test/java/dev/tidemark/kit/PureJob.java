package dev.tidemark.kit;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.membership.Judgement;
import dev.tidemark.membership.Membership;
import dev.tidemark.membership.Outcome;
import dev.tidemark.membership.RecordMemory;
import dev.tidemark.partition.CellAlgebra;
import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.CellState;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.DistinctCounts;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.Members;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The pure rules of all rooms, wired together without Flink and without a database: one log, one thread. */
public final class PureJob {
    private final Stamper stamper;
    private final Frontier frontier;
    private final Whole whole;
    private final Membership membership;
    private final CellAlgebra algebra;
    private final Canonical canonical;
    private final Gate gate;
    private final RawRecord raw = new RawRecord();
    private final Map<Bytes, RecordMemory> memories = new HashMap<>();
    private final Map<CellKey, Cell> cells = new HashMap<>();
    private final List<LedgerRow> ledger = new ArrayList<>();
    private final List<RejectedRow> rejected = new ArrayList<>();
    private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
    private long read;
    private long halfWindowExceeded;
    private long maxLateness = -1;
    private final boolean hasId;

    public PureJob(JobPlan plan, RecordDecoder decoder) {
        this.stamper = new Stamper(plan, decoder, Map.of());
        Calendar calendar = Gate.calendarOf(plan);
        this.gate = new Gate(plan);
        this.frontier = new Frontier(calendar, plan.time().maxAdvance());
        this.whole = new Whole(calendar, plan, Whole.ALL);
        this.membership = new Membership(plan);
        this.algebra = new CellAlgebra(plan);
        this.canonical = new Canonical(plan);
        this.hasId = plan.changes().hasId();
    }

    public void accept(SourceRecord record) {
        raw.split = record.split();
        raw.offset = record.offset();
        raw.sequence = read++;
        raw.bytes = record.payload();
        raw.start = 0;
        raw.length = raw.bytes.length;
        raw.wholeLength = raw.length;
        Change change = stamper.stamp(raw, frontier, whole, false);
        if (change == null) {
            rejected.add(Canonical.row(stamper.rejected(raw)));
            return;
        }
        Judgement judgement = membership.judge(hasId ? memories.get(change.recordId()) : null, change);
        if (judgement.memory() != null) {
            memories.put(change.recordId(), judgement.memory());
        }
        apply(judgement.first());
        apply(judgement.second());
        if (judgement.oldLate() != null) {
            ledger.add(canonical.row(judgement.oldLate()));
        }
        if (judgement.late() != null) {
            ledger.add(canonical.row(judgement.late()));
        }
        outcomes.merge(judgement.outcome(), 1L, Long::sum);
        if (judgement.outcome() != Outcome.SUPERSEDED) {
            halfWindowExceeded += judgement.exceedsHalf() ? 1 : 0;
            if (change.hasObservedTime() && judgement.latenessEventTime() != Change.UNKNOWN) {
                maxLateness = Math.max(
                        maxLateness,
                        Math.max(0, Math.floorDiv(change.observedAt() - judgement.latenessEventTime(), 1000L)));
            }
        }
    }

    /** The target, by partition and key. */
    public List<TargetRow> target() {
        List<TargetRow> rows = new ArrayList<>();
        cells.forEach((key, cell) -> {
            if (cell.state.members() > 0) {
                rows.add(canonical.row(algebra.export(key, cell.state, cell)));
            }
        });
        rows.sort(Canonical.ORDER);
        return rows;
    }

    public List<LedgerRow> ledger() {
        return ledger;
    }

    public List<RejectedRow> rejected() {
        return rejected;
    }

    public Counts counts() {
        return new Counts(
                read,
                outcomes.getOrDefault(Outcome.APPLIED, 0L),
                outcomes.getOrDefault(Outcome.SUPERSEDED, 0L),
                outcomes.getOrDefault(Outcome.LATE, 0L),
                outcomes.getOrDefault(Outcome.SPLIT, 0L),
                rejected.size(),
                maxLateness < 0 ? null : maxLateness,
                halfWindowExceeded);
    }

    public @Nullable String completeFrom() {
        return frontier.h() == Frontier.UNKNOWN
                ? null
                : gate.calendar()
                        .iso(Math.max(whole.from(), gate.horizon(frontier.h()).openFrom()));
    }

    private void apply(@Nullable Contribution contribution) {
        if (contribution != null) {
            Cell cell = cells.computeIfAbsent(contribution.cell(), key -> new Cell(algebra.create()));
            algebra.apply(cell.state, contribution, cell, cell);
        }
    }

    private static final class Cell implements Members, DistinctCounts {
        private final CellState state;
        private final Map<Bytes, Member> members = new LinkedHashMap<>();
        private final Map<Bytes, Long> counts = new HashMap<>();

        Cell(CellState state) {
            this.state = state;
        }

        @Override
        public void put(Member member) {
            members.put(member.recordId(), member);
        }

        @Override
        public void remove(Bytes recordId) {
            members.remove(recordId);
        }

        @Override
        public void forEach(Consumer<Member> action) {
            members.values().forEach(action);
        }

        @Override
        public long increment(Bytes value) {
            return counts.merge(value, 1L, Long::sum);
        }

        @Override
        public long decrement(Bytes value) {
            Long left = counts.merge(value, -1L, Long::sum);
            return left == null ? 0 : left;
        }
    }
}
