package dev.tidemark.kit;

import dev.tidemark.kit.MemoryWarehouse.Bucket;
import dev.tidemark.kit.MemoryWarehouse.BucketCounts;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.MemoryWarehouse.Row;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.lateness.LatenessBuckets;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Tally;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Holds publications to the promises and to the oracle. Each question is answered with what is otherwise, in words, or
 * with null.
 */
public final class Agreement {

    /** What the oracle says after a number of records. */
    private record Expected(Snapshot snapshot, List<TargetRow> recomputed, boolean isBeyondMemory) {}

    private final History history;
    private final List<SourceRecord> records;
    private final Map<Integer, Expected> known = new HashMap<>();
    private Oracle oracle;
    private int read;

    public Agreement(History history) {
        this.history = history;
        this.records = history.records();
        this.oracle = new Oracle(history.plan(), Fingerprints.of(history.plan()));
    }

    /** All of it, over all publications. */
    public @Nullable String difference(List<Publication> publications) {
        Publication before = null;
        for (Publication publication : publications) {
            String difference = first(
                    conservation(publication),
                    agreement(publication),
                    inWindowCorrectness(publication),
                    stablePrefix(before, publication));
            if (difference != null) {
                return "publication " + publication.number() + " (" + publication.submission() + ", checkpoint "
                        + publication.checkpoint() + ", after " + position(publication.logs()) + " records): "
                        + difference;
            }
            before = publication;
        }
        return null;
    }

    /** All that is visible is what the oracle says of the changes before the publication's positions. */
    public @Nullable String agreement(Publication publication) {
        Visible visible = publication.visible();
        Snapshot expected = expected(publication.logs()).snapshot();
        return first(
                differs("counts", visible.counts(), expected.counts()),
                differs("rejected", visible.rejected(), expected.rejected()),
                differs("ledger", visible.ledger(), expected.ledger()),
                differs("target", visible.rows(), expected.target()),
                differs("lateness", visible.lateness(), buckets(expected)),
                differs("complete from", visible.completeFrom(), expected.completeFrom()),
                differs("closed before", visible.closedBefore(), expected.closedBefore()),
                differs("partitions", visible.partitions(), expected.partitions()));
    }

    /** Promise 1: from complete_from on the target is a full recomputation. */
    public @Nullable String inWindowCorrectness(Publication publication) {
        Expected expected = expected(publication.logs());
        String completeFrom = publication.visible().completeFrom();
        if (expected.isBeyondMemory()) {
            return null;
        }
        List<TargetRow> window = publication.visible().rows().stream()
                .filter(row -> completeFrom == null || row.partition().compareTo(completeFrom) >= 0)
                .toList();
        return differs("window", window, expected.recomputed());
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

    /** How many records lie before a position. */
    public int position(List<LogCut> logs) {
        int position = 0;
        for (LogCut log : logs) {
            for (SourceRecord record : records) {
                if (LogCut.comparePositions(record.split(), record.offset(), log.split(), log.nextOffset()) < 0) {
                    position++;
                }
            }
        }
        return position;
    }

    private static List<Row> prefix(Publication publication, String bound) {
        return publication.visible().target().stream()
                .filter(row -> row.row().partition().compareTo(bound) < 0)
                .toList();
    }

    private Expected expected(List<LogCut> logs) {
        int position = position(logs);
        Expected expected = known.get(position);
        if (expected != null) {
            return expected;
        }
        if (position < read) {
            oracle = new Oracle(history.plan(), Fingerprints.of(history.plan()));
            read = 0;
        }
        while (read < position) {
            oracle.accept(records.get(read++));
        }
        Expected fresh = new Expected(
                oracle.snapshot(), oracle.recomputed(), !oracle.beyondMemory().isEmpty());
        known.put(position, fresh);
        return fresh;
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
