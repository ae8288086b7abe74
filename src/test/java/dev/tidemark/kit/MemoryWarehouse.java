package dev.tidemark.kit;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Snapshot.Arrival;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.PartitionSize;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.partition.CellKey;
import dev.tidemark.publish.Carried;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.Decision;
import dev.tidemark.publish.FencedException;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Observation;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.PublicationRule;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Tally;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.publish.WarehouseException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A warehouse in memory, with the promises of the ports {@link Stage} and {@link Warehouse} and nothing else: no SQL, no
 * transactions that can fail. After each publication it keeps all that is visible, so that a test can look at every one
 * of them afterwards.
 *
 * <p>Its ports travel to operators by serialization and find it again by its id. Not thread-safe.
 */
public final class MemoryWarehouse implements AutoCloseable {
    /** Factories are serialized; this is how they lead back here. */
    private static final Map<String, MemoryWarehouse> OPEN = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();
    private final JobPlan plan;
    private final Calendar calendar;
    private final Canonical canonical;
    private final LastingColumns lasting;
    private PublicationRule rule;
    private int lookback;
    private long replacedFrom = Standing.NOWHERE;

    private final Map<String, Long> epochs = new HashMap<>();
    private @Nullable String writer;
    private long attempt;
    private Standing standing = Standing.NONE;

    private final Map<String, StagedRows> staged = new LinkedHashMap<>();
    private final Map<CellKey, Row> target = new HashMap<>();
    private final Map<CellKey, Long> removed = new HashMap<>();
    private final SortedMap<LedgerKey, LedgerRow> ledger = new TreeMap<>();
    private final Map<LedgerKey, LateChange> lateChanges = new HashMap<>();
    private final Set<LedgerKey> incorporated = new HashSet<>();
    private final SortedMap<LedgerKey, RejectedRow> rejected = new TreeMap<>();
    private final Map<Bucket, BucketCounts> lateness = new HashMap<>();
    private Counts counts = new Counts(0, 0, 0, 0, 0, 0, null, 0);
    private final List<Publication> publications = new ArrayList<>();

    public MemoryWarehouse(JobPlan plan) {
        this.plan = plan;
        this.calendar = Gate.calendarOf(plan);
        this.canonical = new Canonical(plan);
        this.lasting = new LastingColumns(plan);
        this.rule = ruleOf(plan);
        this.lookback = plan.partition().lookback();
        OPEN.put(id, this);
    }

    private static PublicationRule ruleOf(JobPlan plan) {
        return new PublicationRule(
                Gate.calendarOf(plan),
                plan.partition().lookback(),
                plan.partition().retain());
    }

    /** From now on a job with this plan publishes, which has another lookback. */
    public void takeUp(JobPlan next) {
        rule = ruleOf(next);
        lookback = next.partition().lookback();
    }

    /** From where on the last widening replaced partitions; null: all. */
    public @Nullable String replacedFrom() {
        return iso(replacedFrom);
    }

    /** The ledger rows that no widening has brought in. */
    public List<LedgerRow> openLedger() {
        List<LedgerRow> open = new ArrayList<>();
        ledger.forEach((key, row) -> {
            if (!incorporated.contains(key)) {
                open.add(row);
            }
        });
        return List.copyOf(open);
    }

    /** What one publication made visible, and all that is visible since. */
    public record Publication(
            long number,
            String submission,
            long checkpoint,
            long read,
            long rejected,
            Tally counts,
            List<LogCut> logs,
            List<String> touched,
            Visible visible) {}

    /** All that readers can see. Immutable. Bounds are ISO text; null: none. */
    public record Visible(
            List<Row> target,
            List<LedgerRow> ledger,
            List<RejectedRow> rejected,
            Counts counts,
            Map<Bucket, BucketCounts> lateness,
            Map<String, PartitionSize> partitions,
            List<LogCut> logs,
            @Nullable String closedBefore,
            @Nullable String completeFrom) {
        public List<TargetRow> rows() {
            return target.stream().map(Row::row).toList();
        }
    }

    /** A row of the target with what tells when it changed. */
    public record Row(TargetRow row, long revision, long publication, String pane) {}

    /** A place in the lateness distribution. */
    public record Bucket(LocalDate observedDay, Arrival arrival, long age, long bucketMillis) {}

    /** What a place in the lateness distribution holds. */
    public record BucketCounts(long changes, long late, long maxMillis) {
        public BucketCounts plus(BucketCounts other) {
            return new BucketCounts(changes + other.changes, late + other.late, Math.max(maxMillis, other.maxMillis));
        }
    }

    private record LedgerKey(String split, long offset, Half half) implements Comparable<LedgerKey> {
        @Override
        public int compareTo(LedgerKey other) {
            int position = LogCut.comparePositions(split, offset, other.split, other.offset);
            return position != 0 ? position : half.compareTo(other.half);
        }
    }

    /** Rows that are durable and invisible. */
    private static final class StagedRows {
        private final String submission;
        private final long checkpoint;
        private List<LogCut> logs;
        private List<CellTruth> cells = List.of();
        private List<LateChange> late = List.of();
        private List<RejectedChange> rejected = List.of();
        private @Nullable StagedPart carried;

        private StagedRows(String submission, long checkpoint, List<LogCut> logs) {
            this.submission = submission;
            this.checkpoint = checkpoint;
            this.logs = logs;
        }
    }

    // ---------------------------------------------------------------------------------------------------- ports

    public Stage.Factory stages() {
        String there = id;
        return (submission, subtask) -> open(there).new MemoryStage(submission);
    }

    public Warehouse.Factory warehouses() {
        String there = id;
        return () -> open(there).new Committer();
    }

    public Warehouse.PublishedPositions publishedPositions() {
        String there = id;
        return () -> open(there).standing();
    }

    private Standing standing() {
        return rule.closed(standing);
    }

    private static MemoryWarehouse open(String id) {
        return Objects.requireNonNull(OPEN.get(id), "the warehouse is closed");
    }

    @Override
    public void close() {
        OPEN.remove(id);
    }

    // -------------------------------------------------------------------------------------------------- answers

    public List<Publication> publications() {
        return Collections.unmodifiableList(publications);
    }

    public Visible visible() {
        Map<String, PartitionSize> partitions = new TreeMap<>();
        for (Row row : target.values()) {
            partitions.merge(
                    row.row().partition(),
                    new PartitionSize(1, row.row().members()),
                    (a, b) -> new PartitionSize(a.cells() + b.cells(), a.members() + b.members()));
        }
        Publication last = publications.isEmpty() ? null : publications.get(publications.size() - 1);
        List<Row> rows = new ArrayList<>(target.values());
        rows.sort((a, b) -> {
            int order = a.row().partition().compareTo(b.row().partition());
            return order != 0 ? order : Values.compareAll(a.row().key(), b.row().key());
        });
        return new Visible(
                List.copyOf(rows),
                List.copyOf(ledger.values()),
                List.copyOf(rejected.values()),
                counts,
                Map.copyOf(lateness),
                partitions,
                standing.logs(),
                iso(standing.closedBefore()),
                last == null ? null : last.visible().completeFrom());
    }

    /** How many parts are staged and not published. */
    public int stagedParts() {
        return staged.size();
    }

    private @Nullable String iso(long bound) {
        return bound == Standing.NOWHERE ? null : calendar.iso(bound);
    }

    // ------------------------------------------------------------------------------------------------- staging

    private final class MemoryStage implements Stage {
        private final String submission;
        private final List<CellTruth> cells = new ArrayList<>();
        private final List<LateChange> late = new ArrayList<>();
        private final List<RejectedChange> rejects = new ArrayList<>();
        private final List<Tally> tallies = new ArrayList<>();
        private final List<Cut> cuts = new ArrayList<>();
        private final List<Reopening> reopenings = new ArrayList<>();

        private MemoryStage(String submission) {
            this.submission = submission;
        }

        @Override
        public void add(Part part) {
            if (part instanceof Part.Cell cell) {
                cells.add(cell.truth());
            } else if (part instanceof Part.Late change) {
                late.add(change.change());
            } else if (part instanceof Part.Rejected change) {
                rejects.add(change.change());
            } else if (part instanceof Part.Judged judged) {
                tallies.add(judged.tally());
            } else if (part instanceof Part.Read read) {
                cuts.add(read.cut());
            } else if (part instanceof Part.Reopened reopened) {
                reopenings.add(reopened.reopening());
            }
        }

        @Override
        public StagedPart seal(long checkpoint) {
            StagedPart receipt = new StagedPart(
                    submission,
                    checkpoint,
                    UUID.randomUUID().toString(),
                    cells.size(),
                    late.size(),
                    rejects.size(),
                    List.copyOf(tallies),
                    List.copyOf(cuts),
                    List.copyOf(reopenings));
            StagedRows rows = new StagedRows(submission, checkpoint, logsOf(receipt));
            rows.cells = List.copyOf(cells);
            rows.late = List.copyOf(late);
            rows.rejected = List.copyOf(rejects);
            if (receipt.holdsAnything()) {
                staged.put(receipt.part(), rows);
            }
            cells.clear();
            late.clear();
            rejects.clear();
            tallies.clear();
            cuts.clear();
            reopenings.clear();
            return receipt;
        }

        @Override
        public void close() {}
    }

    private static List<LogCut> logsOf(StagedPart part) {
        return part.cuts().stream().flatMap(cut -> cut.logs().stream()).toList();
    }

    // ---------------------------------------------------------------------------------------------- publishing

    private final class Committer implements Warehouse {
        @Override
        public Seat register(String submission, String flinkJobId) {
            if (submission.equals(writer)) {
                attempt++;
            } else if (epochs.putIfAbsent(submission, epochs.size() + 1L) == null) {
                writer = submission;
                attempt = 1;
            } else {
                throw fenced(submission);
            }
            return new Seat(submission, epochs.size(), attempt);
        }

        @Override
        public Outcome publish(Seat seat, List<StagedPart> parts) {
            if (seat.epoch() != epochs.size() || seat.attempt() != attempt) {
                throw fenced(seat.submission());
            }
            return parts.isEmpty() ? Outcome.NOTHING_NEW : MemoryWarehouse.this.publish(parts);
        }

        @Override
        public void conclude(Seat seat) {
            if (seat.epoch() != epochs.size() || seat.attempt() != attempt) {
                throw fenced(seat.submission());
            }
            staged.values().removeIf(rows -> rows.submission.equals(seat.submission()) && rows.carried == null);
        }

        @Override
        public Observation observe() {
            return Observation.NOTHING;
        }

        @Override
        public void close() {}
    }

    private FencedException fenced(String submission) {
        return new FencedException(
                "the submission " + writer + ", attempt " + attempt + ", has taken over from " + submission);
    }

    private Warehouse.Outcome publish(List<StagedPart> given) {
        standing = rule.closed(standing);
        List<StagedPart> parts = waiting(given);
        if (parts.isEmpty()) {
            return Warehouse.Outcome.ALREADY_PUBLISHED;
        }
        StagedPart newest = parts.get(parts.size() - 1);
        Decision decision = rule.decide(standing, carried(), parts);
        if (decision instanceof Decision.Refuse refusal) {
            throw new WarehouseException(
                    "checkpoint " + newest.checkpoint() + " is not published: " + refusal.message());
        }
        if (decision instanceof Decision.CarryForward) {
            for (StagedPart part : parts) {
                StagedRows rows = staged.computeIfAbsent(
                        part.part(), key -> new StagedRows(part.submission(), part.checkpoint(), List.of()));
                rows.logs = logsOf(part);
                rows.carried = part;
            }
            return Warehouse.Outcome.CARRIED_FORWARD;
        }
        boolean visible = false;
        if (decision instanceof Decision.Publish publish) {
            List<StagedPart> all = new ArrayList<>();
            publish.carried().forEach(checkpoint -> all.addAll(checkpoint.parts()));
            all.addAll(parts);
            visible = publish(newest, all, publish);
            all.forEach(part -> staged.remove(part.part()));
            removeSpent(publish.logs());
        }
        staged.values()
                .removeIf(
                        rows -> rows.submission.equals(newest.submission()) && rows.checkpoint <= newest.checkpoint());
        return visible ? Warehouse.Outcome.PUBLISHED : Warehouse.Outcome.NOTHING_NEW;
    }

    /** The parts that are not published yet, oldest first: a checkpoint whose staged rows are gone has been published. */
    private List<StagedPart> waiting(List<StagedPart> parts) {
        Map<Long, List<StagedPart>> checkpoints = new TreeMap<>();
        parts.forEach(part -> checkpoints
                .computeIfAbsent(part.checkpoint(), checkpoint -> new ArrayList<>())
                .add(part));
        List<StagedPart> waiting = new ArrayList<>();
        checkpoints.forEach((checkpoint, all) -> {
            if (all.stream().noneMatch(part -> part.holdsAnything() && !staged.containsKey(part.part()))) {
                waiting.addAll(all);
            } else if (!all.stream().flatMap(part -> logsOf(part).stream()).allMatch(this::isPublished)) {
                throw new WarehouseException("the staged rows of checkpoint " + checkpoint + " are gone");
            }
        });
        return waiting;
    }

    private boolean isPublished(LogCut log) {
        return standing.logs().stream()
                .anyMatch(there -> there.log().equals(log.log()) && log.comparePositionTo(there) <= 0);
    }

    private List<Carried> carried() {
        Map<String, List<StagedPart>> checkpoints = new LinkedHashMap<>();
        for (StagedRows rows : staged.values()) {
            StagedPart part = rows.carried;
            if (part != null) {
                checkpoints
                        .computeIfAbsent(part.submission() + " " + part.checkpoint(), key -> new ArrayList<>())
                        .add(part);
            }
        }
        return checkpoints.values().stream()
                .map(all -> new Carried(all.get(0).submission(), all.get(0).checkpoint(), all))
                .toList();
    }

    /** Of older epochs, the checkpoints that stand at or before what is published. */
    private void removeSpent(List<LogCut> now) {
        Map<String, Boolean> passed = new HashMap<>();
        for (StagedRows rows : staged.values()) {
            boolean behind = rows.logs.stream()
                    .allMatch(log -> now.stream()
                            .anyMatch(there -> there.log().equals(log.log()) && log.comparePositionTo(there) <= 0));
            passed.merge(rows.submission + " " + rows.checkpoint, behind, Boolean::logicalAnd);
        }
        staged.values()
                .removeIf(rows -> epochs.getOrDefault(rows.submission, Long.MAX_VALUE) < epochs.size()
                        && Boolean.TRUE.equals(passed.get(rows.submission + " " + rows.checkpoint)));
    }

    /** Makes parts visible, oldest first; false if nothing differs from what is. */
    private boolean publish(StagedPart newest, List<StagedPart> parts, Decision.Publish decision) {
        long number = standing.publication() + 1;
        Map<CellKey, CellTruth> truths = new LinkedHashMap<>();
        long late = 0;
        long refused = 0;
        for (StagedPart part : parts) {
            StagedRows rows = staged.get(part.part());
            if (rows == null) {
                continue;
            }
            if (rows.cells.size() != part.cells()
                    || rows.late.size() != part.late()
                    || rows.rejected.size() != part.rejected()) {
                throw new WarehouseException("somebody changed the staged rows of " + part);
            }
            rows.cells.forEach(truth -> truths.put(new CellKey(truth.partition(), truth.key()), truth));
            for (LateChange change : rows.late) {
                LedgerKey key = new LedgerKey(change.split(), change.offset(), change.half());
                late += ledger.putIfAbsent(key, canonical.row(change)) == null ? 1 : 0;
                lateChanges.putIfAbsent(key, change);
            }
            for (RejectedChange change : rows.rejected) {
                LedgerKey key = new LedgerKey(change.split(), change.offset(), Half.WHOLE);
                refused += rejected.putIfAbsent(key, Canonical.row(change)) == null ? 1 : 0;
            }
        }
        TreeSet<String> touched = new TreeSet<>();
        truths.forEach((cell, truth) -> {
            if (cell.partition() >= decision.changesFrom() && apply(cell, truth, number, decision)) {
                touched.add(calendar.iso(cell.partition()));
            }
        });
        Decision.Widening widening = decision.widening();
        if (decision.read() == 0 && touched.isEmpty() && late == 0 && refused == 0 && widening == null) {
            return false;
        }
        if (widening != null) {
            replacedFrom = widening.replacedFrom();
            for (CellKey cell : List.copyOf(target.keySet())) {
                if (cell.partition() >= widening.replacedFrom() && !truths.containsKey(cell)) {
                    removed.put(
                            cell, Objects.requireNonNull(target.remove(cell)).revision() + 1);
                    touched.add(calendar.iso(cell.partition()));
                }
            }
            lateChanges.forEach((key, change) -> {
                if (change.reason() == LateReason.OUTSIDE_WINDOW
                        && change.partition() >= widening.replacedFrom()
                        && (change.age() <= lookback || stoodBehind(widening.stood(), change))) {
                    incorporated.add(key);
                }
            });
        }
        count(decision);
        standing = new Standing(
                number,
                newest.submission(),
                decision.logs(),
                decision.closedBefore(),
                decision.endedBefore(),
                decision.retainedFrom(),
                lookback);
        Visible now = visible();
        publications.add(new Publication(
                number,
                newest.submission(),
                newest.checkpoint(),
                decision.read(),
                decision.rejected(),
                decision.counts(),
                decision.logs(),
                List.copyOf(touched),
                new Visible(
                        now.target(),
                        now.ledger(),
                        now.rejected(),
                        now.counts(),
                        now.lateness(),
                        now.partitions(),
                        now.logs(),
                        now.closedBefore(),
                        iso(decision.completeFrom()))));
        return true;
    }

    private static boolean stoodBehind(List<LogCut> stood, LateChange change) {
        return stood.stream()
                .anyMatch(log -> (log.log().isEmpty()
                                || change.split().equals(log.log())
                                || change.split().startsWith(log.log() + "/"))
                        && LogCut.comparePositions(change.split(), change.offset(), log.split(), log.nextOffset()) < 0);
    }

    private boolean apply(CellKey cell, CellTruth truth, long number, Decision.Publish decision) {
        Row stands = target.get(cell);
        if (truth.isRemoved()) {
            if (stands == null) {
                return false;
            }
            target.remove(cell);
            removed.put(cell, stands.revision() + 1);
            return true;
        }
        TargetRow row = canonical.row(truth);
        if (stands != null && lasting.of(stands.row()).equals(lasting.of(row))) {
            return false;
        }
        long before = stands == null ? removed.getOrDefault(cell, 0L) : stands.revision();
        Decision.Widening widening = decision.widening();
        String pane;
        if (widening != null && cell.partition() < widening.shownBefore()) {
            pane = "WIDENED";
        } else if (cell.partition() < standing.endedBefore()) {
            pane = "LATE";
        } else {
            pane = cell.partition() < decision.endedBefore() ? "ON_TIME" : "EARLY";
        }
        target.put(cell, new Row(row, before + 1, number, pane));
        return true;
    }

    private void count(Decision.Publish decision) {
        Tally tally = decision.counts();
        Long greatest = counts.maxLatenessMillis();
        if (tally.maxLatenessMillis() >= 0) {
            greatest = Math.max(tally.maxLatenessMillis(), greatest == null ? 0 : greatest);
        }
        counts = new Counts(
                counts.read() + decision.read(),
                counts.applied() + tally.applied(),
                counts.superseded() + tally.superseded(),
                counts.late() + tally.late(),
                counts.split() + tally.split(),
                counts.rejected() + decision.rejected(),
                greatest,
                counts.halfWindowExceeded() + tally.halfWindowExceeded());
        for (LatenessEntry entry : tally.lateness()) {
            lateness.merge(
                    new Bucket(
                            LocalDate.ofEpochDay(entry.observedDay()),
                            entry.correction() ? Arrival.CORRECTION : Arrival.FIRST,
                            entry.age(),
                            entry.bucketMillis()),
                    new BucketCounts(entry.changes(), entry.late(), entry.maxMillis()),
                    BucketCounts::plus);
        }
    }

    @Override
    public String toString() {
        return "the warehouse of " + plan.job() + " after publication " + standing.publication();
    }
}
