package dev.tidemark.kit;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.kit.Snapshot.Arrival;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.Half;
import dev.tidemark.kit.Snapshot.LatenessEntry;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Operation;
import dev.tidemark.kit.Snapshot.PartitionSize;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Says what a job must make of its logs, record by record, from the contract alone. Each log has its own frontier; records
 * of several logs are accepted in the order in which they are judged, which nobody can tell of the outcome as long as all
 * changes of an id are in one log.
 *
 * <p>It holds the truth of the target twice. {@link #snapshot} replays the admitted halves: what a job does. {@link
 * #recomputed} looks at all records read so far as if there were no window and no forgetting: what promise 1 compares
 * with. From {@code complete_from} on the two are equal, except for ids in {@link #beyondMemory}:
 *
 * <ul>
 *   <li>an older version (in append mode: another copy) of an id that was forgotten counts again;
 *   <li>of three changes of equal version, a copy was observed after the live version, and one with other values in
 *       between: the live version stands, at its own position and not at the copy's, which only a tie can show.
 * </ul>
 */
public final class Oracle {

    /** The cell of a row: the number of its partition and its key. */
    private record Cell(long partition, List<Object> key) {}

    /** One side of a change: where it counts, and why not if it does not. */
    private record Side(
            Half half,
            long partition,
            @Nullable List<Object> key,
            @Nullable Instant event,
            @Nullable Reason closed) {}

    /** The newest version of an id, and m. */
    private static final class Memory {
        Change newest;

        /** Of the newest version and its copies, the latest. */
        @Nullable
        Instant observed;

        long greatestPartition = Long.MIN_VALUE;

        Memory(Change newest) {
            this.newest = newest;
            this.observed = newest.observed();
        }
    }

    /** Where a change is. */
    private record Place(String log, long sequence) {}

    /** How far a log has come. */
    private static final class Log {
        long read;

        @Nullable
        Instant frontier;

        @Nullable
        Instant pendingMark;

        @Nullable
        Object pendingId;
    }

    private final JobPlan plan;
    private final ToLongFunction<Member> fingerprint;
    private final Partitions partitions;
    private final RecordReader reader;
    private final Columns columns;
    private final long wholeFrom;

    private final Map<String, Long> positions = new LinkedHashMap<>();
    private final List<Change> accepted = new ArrayList<>();
    private final Map<List<Object>, List<Change>> acceptedById = new LinkedHashMap<>();
    private final Map<List<Object>, Memory> memory = new HashMap<>();
    /** What each change by itself raises m to. */
    private final Map<Place, Long> memories = new HashMap<>();

    private final Map<Cell, List<Change>> cells = new HashMap<>();
    private final List<LedgerRow> ledger = new ArrayList<>();
    private final List<RejectedRow> rejected = new ArrayList<>();
    private final Map<LatenessEntry, Long> lateness = new HashMap<>();
    private long read;
    private long applied;
    private long superseded;
    private long late;
    private long split;
    private @Nullable Long maxLatenessMillis;
    private long halfWindowExceeded;
    private long returned;

    private final Map<String, Log> logs = new TreeMap<>();
    /** What idle and new logs find closed, whatever their own frontier says. */
    private long closedBefore = Long.MIN_VALUE;

    /** What a fingerprint may depend on. */
    public record Member(@Nullable String recordId, List<Object> version) {}

    /** An oracle whose fingerprints are all 0. */
    public Oracle(JobPlan plan) {
        this(plan, member -> 0);
    }

    /** An oracle that adds up this hash of the members of each cell. */
    public Oracle(JobPlan plan, ToLongFunction<Member> fingerprint) {
        this(plan, fingerprint, Map.of());
    }

    /**
     * An oracle of a job whose columns have conditions besides.
     *
     * @param conditions by the columns' names
     */
    public Oracle(JobPlan plan, ToLongFunction<Member> fingerprint, Map<String, ColumnCondition> conditions) {
        this.plan = plan;
        this.fingerprint = fingerprint;
        this.partitions =
                new Partitions(plan.partition().grain(), plan.partition().zone());
        this.reader = new RecordReader(plan, partitions);
        this.columns = new Columns(plan, conditions);
        LocalDate firstWhole = plan.partition().wholeFrom();
        this.wholeFrom = firstWhole == null ? Long.MIN_VALUE : partitions.numberOfDate(firstWhole);
    }

    /** A log that the job reads. */
    public void begin(String log) {
        logs.putIfAbsent(log, new Log());
    }

    /** The next record of its log. */
    public void accept(SourceRecord record) {
        positions.put(record.split(), record.offset() + 1);
        read++;
        begin(record.log());
        Log log = log(record.log());
        RecordReader.Reading reading = reader.read(record, ++log.read);
        Change change = reading.change();
        if (change == null) {
            rejected.add(new RejectedRow(
                    record.split(),
                    record.offset(),
                    Objects.requireNonNull(reading.rejection()),
                    record.payload().length));
            return;
        }
        accepted.add(change);
        moveFrontier(log, change);
        if (change.id() == null) {
            admit(change, null, Arrival.FIRST);
            return;
        }
        acceptedById.computeIfAbsent(change.id(), id -> new ArrayList<>()).add(change);
        memories.put(new Place(change.log(), change.sequence()), greatestPartition(change));
        remember(change, change.id());
    }

    /** A barrier, at which these logs were idle: from now on what lies before the bound is closed for every log. */
    public void barrier(Set<String> idle) {
        Long bound = bound(idle);
        closedBefore = bound == null ? closedBefore : Math.max(closedBefore, bound);
    }

    private Log log(String name) {
        return Objects.requireNonNull(logs.get(name));
    }

    private Log log(Change change) {
        return log(change.log());
    }

    // ------------------------------------------------------------------------------------------------- frontier

    private void moveFrontier(Log log, Change change) {
        Instant mark = plan.time().frontier() == FrontierKind.OBSERVED
                ? change.observed()
                : change.event() == null
                        ? null
                        : change.event().minus(plan.time().outOfOrderness(), ChronoUnit.MICROS);
        if (mark == null) {
            return;
        }
        Object id = change.id() == null ? (Object) change.sequence() : change.id();
        if (log.frontier == null) {
            log.frontier = mark;
        } else if (isWild(mark, log.frontier)) {
            if (log.pendingMark == null) {
                log.pendingMark = mark;
                log.pendingId = id;
            } else if (id.equals(log.pendingId)) {
                log.pendingMark = later(log.pendingMark, mark);
            } else {
                log.frontier = later(log.frontier, earlier(log.pendingMark, mark));
                boolean stillWild = isWild(mark, log.frontier);
                log.pendingMark = stillWild ? mark : null;
                log.pendingId = stillWild ? id : null;
            }
        } else {
            if (!id.equals(log.pendingId)) {
                log.pendingMark = null;
                log.pendingId = null;
            }
            log.frontier = later(log.frontier, mark);
        }
    }

    private boolean isWild(Instant mark, Instant h) {
        return partitions.number(mark) - partitions.number(h) > plan.time().maxAdvance();
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isAfter(b) ? b : a;
    }

    /** P(h) of the log that the change is in; so early that everything is open while there is no h. */
    private long frontierPartition(Change change) {
        return partitionOf(log(change).frontier);
    }

    private long partitionOf(@Nullable Instant h) {
        return h == null ? Long.MIN_VALUE / 2 : partitions.number(h);
    }

    /** The greatest h over the logs. */
    private @Nullable Instant frontier() {
        return logs.values().stream()
                .map(log -> log.frontier)
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    // ------------------------------------------------------------------------------------- versions and memory

    private void remember(Change change, List<Object> id) {
        Memory known = memory.get(id);
        if (known != null
                && known.greatestPartition
                        < frontierPartition(change) - plan.partition().retain()) {
            memory.remove(id);
            known = null;
            returned++;
        }
        Memory now = known == null ? new Memory(change) : known;
        now.greatestPartition = Math.max(now.greatestPartition, greatestPartition(change));
        if (known == null) {
            memory.put(id, now);
            admit(change, null, Arrival.FIRST);
        } else if (replaces(change, known)) {
            Change old = known.newest;
            known.newest = change;
            known.observed = change.observed();
            admit(change, old, Arrival.CORRECTION);
        } else {
            superseded++;
            if (isCopy(change, known.newest) && Values.compare(change.observed(), known.observed) > 0) {
                known.observed = change.observed();
            }
        }
    }

    /** The greater of P(h) when the change was read, and of the partition that it names. */
    private long greatestPartition(Change change) {
        return change.event() == null
                ? frontierPartition(change)
                : Math.max(frontierPartition(change), partitions.number(change.event()));
    }

    private static boolean isCopy(Change change, Change other) {
        return Values.compareAll(change.version(), other.version()) == 0 && change.saysTheSameAs(other);
    }

    private boolean replaces(Change change, Memory known) {
        Change newest = known.newest;
        if (plan.changes().mode() == Mode.APPEND) {
            return false;
        }
        if (plan.changes().version().isEmpty()) {
            return change.comparePosition(newest) > 0;
        }
        int order = Values.compareAll(change.version(), newest.version());
        if (order != 0) {
            return order > 0;
        }
        order = Values.compare(change.observed(), known.observed);
        return !change.saysTheSameAs(newest) && (order != 0 ? order > 0 : change.comparePosition(newest) > 0);
    }

    // ------------------------------------------------------------------------------------------------ admission

    /** Judges and applies a change that counts; {@code old} is the version that it replaces, if one is remembered. */
    private void admit(Change change, @Nullable Change old, Arrival arrival) {
        Change replaced = old == null || old.isDelete() ? null : old;
        if (change.isDelete() && old == null && change.event() == null) {
            late++;
            write(change, new Side(Half.WHOLE, 0, null, null, Reason.UNKNOWN_RECORD));
            return;
        }
        List<Side> sides = sides(change, old, replaced);
        boolean anyOpen = sides.isEmpty() || sides.stream().anyMatch(side -> side.closed() == null);
        boolean anyClosed = sides.stream().anyMatch(side -> side.closed() != null);
        if (anyOpen && anyClosed) {
            split++;
        } else if (anyOpen) {
            applied++;
        } else {
            late++;
        }
        for (Side side : sides) {
            if (side.closed() == null) {
                apply(side, change, replaced);
            } else {
                write(change, side);
            }
        }
        int lookback = plan.partition().lookback();
        if (lookback >= 2
                && sides.stream()
                        .anyMatch(side -> side.closed() == null && 2 * age(change, side.partition()) > lookback)) {
            halfWindowExceeded++;
        }
        measure(change, replaced, arrival, anyClosed);
    }

    private List<Side> sides(Change change, @Nullable Change old, @Nullable Change replaced) {
        boolean hasNewSide = !change.isDelete() || old == null;
        if (replaced == null) {
            return hasNewSide
                    ? List.of(side(change, Half.WHOLE, Objects.requireNonNull(change.event()), change.key()))
                    : List.of();
        }
        Instant oldEvent = Objects.requireNonNull(replaced.event());
        if (!hasNewSide) {
            return List.of(side(change, Half.WHOLE, oldEvent, replaced.key()));
        }
        Instant newEvent = Objects.requireNonNull(change.event());
        if (partitions.number(oldEvent) == partitions.number(newEvent)) {
            return List.of(side(change, Half.WHOLE, newEvent, change.key()));
        }
        return List.of(
                side(change, Half.OLD, oldEvent, replaced.key()), side(change, Half.NEW, newEvent, change.key()));
    }

    private Side side(Change change, Half half, Instant event, @Nullable List<Object> key) {
        long partition = partitions.number(event);
        Reason closed = null;
        if (partition < wholeFrom) {
            closed = Reason.BEFORE_START;
        } else if (partition < frontierPartition(change) - plan.partition().retain() || partition < closedBefore) {
            closed = Reason.STATE_EXPIRED;
        } else if (partition < frontierPartition(change) - plan.partition().lookback()) {
            closed = Reason.OUTSIDE_WINDOW;
        }
        return new Side(half, partition, key, event, closed);
    }

    /**
     * With several logs the version that is replaced may have been late for the log that brought it, although its partition
     * is open for this one: then nothing of it is there.
     */
    private void apply(Side side, Change change, @Nullable Change replaced) {
        if (replaced != null && side.half() != Half.NEW) {
            Cell cell = cellOf(replaced);
            List<Change> members = cells.getOrDefault(cell, new ArrayList<>());
            if (!members.remove(replaced) && logs.size() == 1) {
                throw new IllegalStateException("Not in its open partition: " + replaced);
            }
            if (members.isEmpty()) {
                cells.remove(cell);
            }
        }
        if (!change.isDelete() && side.half() != Half.OLD) {
            cells.computeIfAbsent(cellOf(change), cell -> new ArrayList<>()).add(change);
        }
    }

    private Cell cellOf(Change upsert) {
        return new Cell(
                partitions.number(Objects.requireNonNull(upsert.event())), Objects.requireNonNull(upsert.key()));
    }

    /** Partitions to P(h); 0 while there is no h. */
    private long age(Change change, long partition) {
        return log(change).frontier == null ? 0 : frontierPartition(change) - partition;
    }

    private void write(Change change, Side side) {
        Instant event = side.event();
        ledger.add(new LedgerRow(
                change.split(),
                change.offset(),
                side.half(),
                change.recordId(),
                change.isDelete() ? Operation.DELETE : Operation.UPSERT,
                event == null ? null : partitions.text(side.partition()),
                side.key(),
                event,
                change.observed(),
                event == null || change.observed() == null ? null : millis(event, change.observed()),
                event == null ? null : age(change, side.partition()),
                log(change).frontier,
                openFrom(log(change).frontier),
                Objects.requireNonNull(side.closed()),
                side.closed() == Reason.OUTSIDE_WINDOW));
    }

    private void measure(Change change, @Nullable Change replaced, Arrival arrival, boolean isLate) {
        Instant event = change.event() == null && replaced != null ? replaced.event() : change.event();
        Instant observed = change.observed();
        if (event == null || observed == null) {
            return;
        }
        Instant place = change.isDelete() && replaced != null ? Objects.requireNonNull(replaced.event()) : event;
        long millis = Math.max(0, millis(event, observed));
        maxLatenessMillis = maxLatenessMillis == null ? millis : Math.max(maxLatenessMillis, millis);
        lateness.merge(
                new LatenessEntry(
                        partitions.localDate(observed),
                        arrival,
                        Math.max(0, age(change, partitions.number(place))),
                        millis,
                        isLate),
                1L,
                Long::sum);
    }

    private static long millis(Instant event, Instant observed) {
        return Math.floorDiv(Values.micros(observed) - Values.micros(event), 1000L);
    }

    // ------------------------------------------------------------------------------------------------- answers

    /** What the job must have published by now. */
    public Snapshot snapshot() {
        Map<String, PartitionSize> sizes = new TreeMap<>();
        cells.forEach((cell, members) -> sizes.merge(
                partitions.text(cell.partition()),
                new PartitionSize(1, members.size()),
                (a, b) -> new PartitionSize(a.cells() + b.cells(), a.members() + b.members())));
        Instant frontier = frontier();
        Long closed = bound(Set.of());
        return new Snapshot(
                rows(cells, cells),
                ledger.stream().sorted(LedgerRow.ORDER).toList(),
                rejected.stream().sorted(RejectedRow.ORDER).toList(),
                new Counts(
                        read, applied, superseded, late, split, rejected.size(), maxLatenessMillis, halfWindowExceeded),
                Map.copyOf(lateness),
                frontier,
                frontier == null ? null : partitions.text(partitionOf(frontier)),
                completeFrom(frontier),
                closed == null ? null : partitions.text(closed),
                sizes,
                Map.copyOf(positions));
    }

    /** The rows of {@link #snapshot} that promise 1 speaks of: those from {@code complete_from} on. */
    public List<TargetRow> window() {
        return rows(inWindow(cells), cells);
    }

    /** What a full recomputation over all records read so far has from {@code complete_from} on. */
    public List<TargetRow> recomputed() {
        Map<Cell, List<Change>> all = new HashMap<>();
        Collection<Change> live = plan.changes().hasId()
                ? acceptedById.values().stream().map(this::greatest).toList()
                : accepted;
        for (Change change : live) {
            if (!change.isDelete()) {
                all.computeIfAbsent(cellOf(change), cell -> new ArrayList<>()).add(change);
            }
        }
        return rows(inWindow(all), all);
    }

    /** The ids whose place in the window differs between {@link #snapshot} and {@link #recomputed}, and may. */
    public Set<String> beyondMemory() {
        Set<String> ids = new HashSet<>();
        for (List<Object> id : acceptedById.keySet()) {
            if (isBeyondMemory(id)) {
                ids.add(Values.recordId(id));
            }
        }
        return ids;
    }

    /** Whether there are ids with changes in several logs. */
    boolean isCrossing() {
        return acceptedById.values().stream()
                .anyMatch(
                        changes -> changes.stream().map(Change::log).distinct().count() > 1);
    }

    /** h of each log as text; "null" while it has none. */
    Map<String, String> frontiers() {
        Map<String, String> frontiers = new TreeMap<>();
        logs.forEach((name, log) -> frontiers.put(name, String.valueOf(log.frontier)));
        return frontiers;
    }

    /**
     * Whether, in some order of the logs and however early a job that waits for none of them forgets, an id could be beyond
     * memory: one whose greatest version lies behind the memory of the furthest log, with another version in the window.
     */
    boolean mayBeBeyondMemory() {
        long furthest = partitionOf(frontier());
        return acceptedById.values().stream().anyMatch(changes -> {
            Change greatest = greatest(changes);
            Place place = new Place(greatest.log(), greatest.sequence());
            return changes.stream()
                    .anyMatch(change -> change.comparePosition(greatest) != 0
                            && isInWindow(change, furthest)
                            && Objects.requireNonNull(memories.get(place))
                                    < furthest - plan.partition().retain());
        });
    }

    /**
     * The rows without what may depend on which of several equal copies was read first: the winner among members of equal
     * event time.
     */
    List<TargetRow> withoutTies(List<TargetRow> rows) {
        if (!isCrossing()) {
            return rows;
        }
        List<TargetRow> others = new ArrayList<>();
        for (TargetRow row : rows) {
            List<@Nullable Object> values = new ArrayList<>();
            for (int i = 0; i < row.values().size(); i++) {
                Aggregate function = plan.target().columns().get(i).function();
                boolean mayTie = function == Aggregate.FIRST || function == Aggregate.LATEST;
                values.add(mayTie ? null : row.values().get(i));
            }
            others.add(new TargetRow(row.partition(), row.key(), values, row.members(), row.fingerprint()));
        }
        return others;
    }

    /** How many changes were of an id that had been forgotten. */
    long returned() {
        return returned;
    }

    /** Whether the id of the last accepted change is beyond memory, for as long as its log is the furthest. */
    boolean isLastBeyondMemory() {
        if (accepted.isEmpty()) {
            return false;
        }
        Change last = accepted.get(accepted.size() - 1);
        return last.id() != null && isBeyondMemory(last.id(), frontierPartition(last));
    }

    private boolean isBeyondMemory(List<Object> id) {
        return isBeyondMemory(id, partitionOf(frontier()));
    }

    private boolean isBeyondMemory(List<Object> id, long frontierPartition) {
        Change remembered = Objects.requireNonNull(memory.get(id)).newest;
        Change greatest = greatest(Objects.requireNonNull(acceptedById.get(id)));
        boolean eitherInWindow = isInWindow(remembered, frontierPartition) || isInWindow(greatest, frontierPartition);
        return eitherInWindow && remembered.comparePosition(greatest) != 0;
    }

    private boolean isInWindow(Change change, long frontierPartition) {
        return !change.isDelete() && isInWindow(cellOf(change), frontierPartition);
    }

    private boolean isInWindow(Cell cell, long frontierPartition) {
        return cell.partition() >= wholeFrom
                && cell.partition() >= frontierPartition - plan.partition().lookback();
    }

    private Map<Cell, List<Change>> inWindow(Map<Cell, List<Change>> all) {
        Map<Cell, List<Change>> open = new HashMap<>(all);
        long frontierPartition = partitionOf(frontier());
        open.keySet().removeIf(cell -> !isInWindow(cell, frontierPartition));
        return open;
    }

    /**
     * The live version among all changes of an id: the greatest by version, observed time and position. Of those that
     * repeat it the first is the one that counted.
     */
    private Change greatest(List<Change> changes) {
        if (plan.changes().mode() == Mode.APPEND) {
            return changes.get(0);
        }
        if (plan.changes().version().isEmpty()) {
            return changes.stream().max(Change::comparePosition).orElseThrow();
        }
        List<Change> ordered = new ArrayList<>(changes);
        ordered.sort((a, b) -> {
            int order = Values.compareAll(a.version(), b.version());
            order = order != 0 ? order : Values.compare(a.observed(), b.observed());
            return order != 0 ? order : a.comparePosition(b);
        });
        Change winner = ordered.get(ordered.size() - 1);
        Change first = winner;
        for (int i = ordered.size() - 1; i >= 0; i--) {
            Change change = ordered.get(i);
            if (!change.saysTheSameAs(winner) || Values.compareAll(change.version(), winner.version()) != 0) {
                break;
            }
            first = change.comparePosition(first) < 0 ? change : first;
        }
        return first;
    }

    private @Nullable String openFrom(@Nullable Instant h) {
        return h == null
                ? null
                : partitions.text(partitionOf(h) - plan.partition().lookback());
    }

    private @Nullable String completeFrom(@Nullable Instant h) {
        return h == null
                ? null
                : partitions.text(
                        Math.max(wholeFrom, partitionOf(h) - plan.partition().lookback()));
    }

    /** The bound that logs of which these are idle have; null: there is none. */
    public @Nullable String closedBefore(Set<String> idle) {
        Long bound = bound(idle);
        return bound == null ? null : partitions.text(bound);
    }

    private @Nullable Long bound(Set<String> idle) {
        List<Log> asked = logs.entrySet().stream()
                .filter(entry -> !idle.contains(entry.getKey()))
                .map(Map.Entry::getValue)
                .toList();
        if (asked.isEmpty()) {
            asked = logs.values().stream().filter(log -> log.frontier != null).toList();
        }
        if (asked.isEmpty() || asked.stream().anyMatch(log -> log.frontier == null)) {
            return null;
        }
        return asked.stream().mapToLong(log -> partitionOf(log.frontier)).min().orElseThrow()
                - plan.partition().lookback();
    }

    /**
     * @param all what running columns add up
     */
    private List<TargetRow> rows(Map<Cell, List<Change>> wanted, Map<Cell, List<Change>> all) {
        Comparator<Cell> order = Comparator.comparingLong(Cell::partition);
        return wanted.keySet().stream()
                .sorted(order.thenComparing(Cell::key, Values::compareAll))
                .map(cell -> row(cell, Objects.requireNonNull(wanted.get(cell)), soFar(cell, all)))
                .toList();
    }

    private Collection<Change> soFar(Cell last, Map<Cell, List<Change>> all) {
        if (!plan.target().hasRunningColumns()) {
            return List.of();
        }
        return all.entrySet().stream()
                .filter(entry -> entry.getKey().partition() <= last.partition()
                        && entry.getKey().key().equals(last.key()))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    private TargetRow row(Cell cell, List<Change> members, Collection<Change> soFar) {
        long sum = 0;
        for (Change member : members) {
            sum += fingerprint.applyAsLong(new Member(member.recordId(), member.version()));
        }
        return new TargetRow(
                partitions.text(cell.partition()), cell.key(), columns.values(members, soFar), members.size(), sum);
    }
}
