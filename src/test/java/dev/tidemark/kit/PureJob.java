package dev.tidemark.kit;

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
import dev.tidemark.partition.Layers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pure rules of all rooms, wired together without Flink and without a database, in one thread. */
public final class PureJob {
    private final Stamper stamper;
    private final Map<String, Frontier> frontiers = new HashMap<>();
    private final Map<String, Long> sequences = new HashMap<>();
    private final Whole whole;
    private final int maxAdvance;
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
        this.gate = new Gate(plan);
        this.whole = new Whole(gate.calendar(), plan, Whole.ALL);
        this.maxAdvance = plan.time().maxAdvance();
        this.membership = new Membership(plan);
        this.algebra = new CellAlgebra(plan);
        this.canonical = new Canonical(plan);
        this.hasId = plan.changes().hasId();
    }

    public void accept(SourceRecord record) {
        read++;
        raw.log = record.log();
        raw.split = record.split();
        raw.offset = record.offset();
        raw.sequence = sequences.merge(record.log(), 1L, Long::sum) - 1;
        raw.timestamp = record.timestamp() == null
                ? RawRecord.UNKNOWN
                : Values.micros(Objects.requireNonNull(record.timestamp()));
        raw.bytes = record.payload();
        raw.start = 0;
        raw.length = raw.bytes.length;
        raw.wholeLength = raw.length;
        Change change = stamper.stamp(raw, frontier(raw.log), whole, false);
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
        apply(judgement.third());
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

    private Frontier frontier(String log) {
        return frontiers.computeIfAbsent(log, name -> new Frontier(gate.calendar(), maxAdvance));
    }

    /** The target, by partition and key. */
    public List<TargetRow> target() {
        List<TargetRow> rows = new ArrayList<>();
        cells.forEach((key, cell) -> {
            if (cell.state.members() > 0) {
                rows.add(canonical.row(algebra.export(key, cell.state, cell.layers.alone(), algebra.changes())));
            }
        });
        rows.sort(Canonical.ORDER);
        return rows;
    }

    public List<LedgerRow> ledger() {
        return ledger.stream().sorted(LedgerRow.ORDER).toList();
    }

    public List<RejectedRow> rejected() {
        return rejected.stream().sorted(RejectedRow.ORDER).toList();
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

    private void apply(@Nullable Contribution contribution) {
        if (contribution != null) {
            Cell cell = cells.computeIfAbsent(contribution.cell(), key -> new Cell(algebra.create(), newLayers()));
            algebra.apply(cell.state, contribution, cell.layers, algebra.changes());
        }
    }

    private static Layers newLayers() {
        return new Layers(new MapEntries<>(), new MapEntries<>(), new MapEntries<>(), new MapEntries<>());
    }

    private record Cell(CellState state, Layers layers) {}
}
