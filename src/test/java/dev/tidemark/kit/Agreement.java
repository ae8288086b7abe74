package dev.tidemark.kit;

import dev.tidemark.kit.MemoryWarehouse.Bucket;
import dev.tidemark.kit.MemoryWarehouse.BucketCounts;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.MemoryWarehouse.Row;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.lateness.LatenessBuckets;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Tally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Holds publications to the promises and to the oracle. Each question is answered with what is otherwise, in words, or
 * with null.
 */
public final class Agreement {

    /** What the oracle says after a number of records of each log. */
    private record Expected(
            Snapshot snapshot,
            List<TargetRow> recomputed,
            boolean isBeyondMemory,
            @Nullable String closedBefore,
            Map<String, String> frontiers) {}

    private final History history;
    private final boolean isExact;
    private final LastingColumns local;
    private final Map<String, List<SourceRecord>> logs;
    private final Map<String, Integer> positions = new TreeMap<>();
    private final Map<String, Integer> fed = new TreeMap<>();
    private Oracle oracle;
    private @Nullable String closedBefore;

    /** By publication, the rows that it would have written if it had written all. */
    private final Map<Long, Set<TargetRow>> asOf = new HashMap<>();

    private final @Nullable HarnessSource source;
    private final Map<String, ColumnCondition> conditions;

    /** Of a job that reads one log. */
    public Agreement(History history) {
        this(history, null, Map.of());
    }

    private Agreement(History history, @Nullable HarnessSource source, Map<String, ColumnCondition> conditions) {
        this.conditions = conditions;
        this.history = history;
        this.source = source;
        this.isExact = source == null || (!source.isRestless() && !history.isCrossing());
        this.logs = history.logs();
        this.local = LastingColumns.local(history.plan());
        this.oracle = fresh();
    }

    /**
     * Of a job that has read the logs like this. If its logs were waited for, and the ids stay in their logs, all is a
     * function of the logs.
     */
    public static Agreement of(History history, HarnessSource source) {
        return of(history, source, Map.of());
    }

    /** Of a job whose columns have conditions besides what the history's plan says. */
    public static Agreement of(History history, HarnessSource source, Map<String, ColumnCondition> conditions) {
        return new Agreement(history, source, conditions);
    }

    private Oracle fresh() {
        Oracle fresh = new Oracle(history.plan(), Fingerprints.of(history.plan()), conditions);
        logs.keySet().forEach(fresh::begin);
        fed.clear();
        return fresh;
    }

    /** All of it, over all publications from the first on. */
    public @Nullable String difference(List<Publication> publications) {
        Publication before = null;
        for (Publication publication : publications) {
            Expected expected = expected(publication);
            String difference = first(
                    conservation(publication),
                    agreement(before, publication, expected),
                    bounds(publication, expected),
                    inWindowCorrectness(publication, expected),
                    stablePrefix(before, publication));
            if (difference != null) {
                return "publication " + publication.number() + " (" + publication.submission() + ", checkpoint "
                        + publication.checkpoint() + ", after " + positions + " records): " + difference;
            }
            before = publication;
        }
        return null;
    }

    /** How many records are published. */
    public int published() {
        return positions.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** All that is visible is what the oracle says of the changes before the publication's positions. */
    private @Nullable String agreement(@Nullable Publication before, Publication publication, Expected expected) {
        Visible visible = publication.visible();
        Snapshot snapshot = expected.snapshot();
        if (!isExact) {
            return first(
                    differs("rejected", visible.rejected(), snapshot.rejected()),
                    differs("read", visible.counts().read(), snapshot.counts().read()),
                    lawfulLedger(visible));
        }
        return first(
                differs("counts", visible.counts(), snapshot.counts()),
                differs("rejected", visible.rejected(), snapshot.rejected()),
                differs("ledger", visible.ledger(), snapshot.ledger()),
                differs("target", local.of(visible.rows()), local.of(snapshot.target())),
                globalColumns(before, publication, snapshot),
                differs("lateness", visible.lateness(), buckets(snapshot)),
                differs("partitions", visible.partitions(), snapshot.partitions()));
    }

    /**
     * Each row is as of the publication that wrote it; those of a retroactive job that a publication may change are as of it,
     * whichever wrote them.
     */
    private @Nullable String globalColumns(@Nullable Publication before, Publication publication, Snapshot snapshot) {
        if (!history.plan().target().hasGlobalColumns()) {
            return null;
        }
        asOf.put(publication.number(), new HashSet<>(snapshot.target()));
        List<TargetRow> otherwise = new ArrayList<>();
        for (Row row : publication.visible().target()) {
            String closed = before == null ? null : before.visible().closedBefore();
            boolean isCurrent = history.plan().target().retroactive()
                    && (closed == null || row.row().partition().compareTo(closed) >= 0);
            long when = isCurrent ? publication.number() : row.publication();
            if (!Objects.requireNonNull(asOf.get(when)).contains(row.row())) {
                otherwise.add(row.row());
            }
        }
        return otherwise.isEmpty() ? null : "global columns, not as of their publications\n  has      " + otherwise;
    }

    private @Nullable String bounds(Publication publication, Expected expected) {
        Visible visible = publication.visible();
        Map<String, String> frontiers = new TreeMap<>();
        publication.logs().forEach(log -> frontiers.put(log.log(), String.valueOf(Canonical.instant(log.frontier()))));
        Map<String, String> others = new TreeMap<>(expected.frontiers());
        others.keySet().retainAll(frontiers.keySet());
        return first(
                differs("frontiers", frontiers, others),
                differs(
                        "complete from",
                        visible.completeFrom(),
                        expected.snapshot().completeFrom()),
                differs("closed before", visible.closedBefore(), expected.closedBefore()));
    }

    /**
     * What a ledger may say although it depends on the order in which logs were read who is late: each late change has its
     * rows, with its own log's h, for a partition that this h closes; or for one that was closed before a log that nobody
     * waited for came with it.
     */
    private @Nullable String lawfulLedger(Visible visible) {
        Set<String> changes = new HashSet<>();
        for (LedgerRow row : visible.ledger()) {
            changes.add(row.split() + ":" + row.offset());
            String openFrom = row.openFrom();
            boolean isClosed = openFrom == null
                    || row.partition() == null
                    || row.partition().compareTo(openFrom) < 0
                    || row.reason() == Reason.BEFORE_START
                    || row.reason() == Reason.STATE_EXPIRED;
            if (!isClosed) {
                return "the ledger has " + row;
            }
        }
        return differs(
                "changes in the ledger",
                (long) changes.size(),
                visible.counts().late() + visible.counts().split());
    }

    /** Promise 1: from complete_from on the target is a full recomputation. */
    public @Nullable String inWindowCorrectness(Publication publication) {
        return inWindowCorrectness(publication, expected(publication));
    }

    private @Nullable String inWindowCorrectness(Publication publication, Expected expected) {
        String completeFrom = publication.visible().completeFrom();
        if (expected.isBeyondMemory()) {
            return null;
        }
        List<TargetRow> window = publication.visible().rows().stream()
                .filter(row -> completeFrom == null || row.partition().compareTo(completeFrom) >= 0)
                .toList();
        return differs(
                "window", local.of(oracle.withoutTies(window)), local.of(oracle.withoutTies(expected.recomputed())));
    }

    /** Promise 2: nothing before the previous closed_before has changed, and that has not gone back. */
    public static @Nullable String stablePrefix(@Nullable Publication before, Publication publication) {
        String bound = before == null ? null : before.visible().closedBefore();
        if (before == null || bound == null) {
            return null;
        }
        String now = publication.visible().closedBefore();
        return first(
                now == null || now.compareTo(bound) < 0 ? "closed_before went back from " + bound + " to " + now : null,
                differs("stable prefix", prefix(publication, bound), prefix(before, bound)),
                publication.touched().stream().anyMatch(partition -> partition.compareTo(bound) < 0)
                        ? "touched " + publication.touched() + " before " + bound
                        : null);
    }

    /** Promise 5: every change is in exactly one of the counts. */
    public static @Nullable String conservation(Publication publication) {
        Tally tally = publication.counts();
        return differs("accounted", tally.judged() + publication.rejected(), publication.read());
    }

    private void goTo(List<LogCut> cuts) {
        for (LogCut cut : cuts) {
            int position = 0;
            for (SourceRecord record : logs.getOrDefault(cut.log(), List.of())) {
                if (LogCut.comparePositions(record.split(), record.offset(), cut.split(), cut.nextOffset()) < 0) {
                    position++;
                }
            }
            positions.merge(cut.log(), position, Math::max);
        }
    }

    private static List<Row> prefix(Publication publication, String bound) {
        return publication.visible().target().stream()
                .filter(row -> row.row().partition().compareTo(bound) < 0)
                .toList();
    }

    private Expected expected(Publication publication) {
        goTo(publication.logs());
        positions.forEach((log, position) -> {
            List<SourceRecord> records = Objects.requireNonNull(logs.get(log));
            for (int next = fed.getOrDefault(log, 0); next < position; next++) {
                oracle.accept(records.get(next));
            }
            fed.put(log, position);
        });
        String bound = oracle.closedBefore(
                source == null ? Set.of() : source.idle(publication.submission(), publication.checkpoint(), positions));
        if (closedBefore == null || (bound != null && bound.compareTo(closedBefore) > 0)) {
            closedBefore = bound;
        }
        return new Expected(
                oracle.snapshot(),
                oracle.recomputed(),
                isExact ? !oracle.beyondMemory().isEmpty() : oracle.mayBeBeyondMemory(),
                closedBefore,
                oracle.frontiers());
    }

    private static Map<Bucket, BucketCounts> buckets(Snapshot snapshot) {
        Map<Bucket, BucketCounts> buckets = new HashMap<>();
        snapshot.lateness()
                .forEach((entry, times) -> buckets.merge(
                        new Bucket(
                                entry.observedDay(),
                                entry.arrival(),
                                entry.age(),
                                LatenessBuckets.upperBound(entry.latenessMillis())),
                        new BucketCounts(times, entry.isLate() ? times : 0, entry.latenessMillis()),
                        BucketCounts::plus));
        return buckets;
    }

    private static @Nullable String differs(String what, @Nullable Object actual, @Nullable Object expected) {
        if (Objects.equals(actual, expected)) {
            return null;
        }
        if (actual instanceof List<?> is && expected instanceof List<?> should) {
            List<Object> extra = new ArrayList<>(is);
            extra.removeAll(should);
            List<Object> missing = new ArrayList<>(should);
            missing.removeAll(is);
            return what + "\n  has      " + extra + "\n  and not  " + missing;
        }
        return what + "\n  is       " + actual + "\n  expected " + expected;
    }

    private static @Nullable String first(@Nullable String... differences) {
        for (String difference : differences) {
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }
}
