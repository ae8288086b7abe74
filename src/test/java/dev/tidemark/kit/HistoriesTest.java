package dev.tidemark.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.Half;
import dev.tidemark.kit.Snapshot.LatenessEntry;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Operation;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.kit.Snapshot.RejectedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HistoriesTest {
    private static final int SEEDS = 300;

    @Test
    void theWindowEqualsAFullRecomputationAfterEveryPrefix() {
        for (long seed = 0; seed < SEEDS; seed++) {
            History history = Histories.random(seed);
            List<SourceRecord> records = history.records();
            int stride = Math.max(1, records.size() / 20);
            Oracle oracle = new Oracle(history.plan(), member -> member.hashCode());
            for (int i = 0; i < records.size(); i++) {
                oracle.accept(records.get(i));
                if (i % stride == 0 || i == records.size() - 1) {
                    assertThat(oracle.beyondMemory()).as("%s", history.name()).isEmpty();
                    assertThat(oracle.window())
                            .as("record %s of %s", i, history.name())
                            .isEqualTo(oracle.recomputed());
                }
            }
        }
    }

    @Test
    void countsAddUpAndClosedPartitionsNeverChange() {
        for (long seed = 0; seed < SEEDS; seed++) {
            History history = Histories.random(seed, Profile.forgetful());
            Oracle oracle = new Oracle(history.plan());
            Snapshot before = oracle.snapshot();
            for (SourceRecord record : history.records()) {
                oracle.accept(record);
                if (record.offset() % 16 == 0) {
                    Snapshot after = oracle.snapshot();
                    Counts counts = after.counts();
                    assertThat(counts.applied()
                                    + counts.superseded()
                                    + counts.late()
                                    + counts.split()
                                    + counts.rejected())
                            .isEqualTo(counts.read());
                    assertThat(closed(after, before.closedBefore()))
                            .as("after %s of %s", record, history.name())
                            .isEqualTo(closed(before, before.closedBefore()));
                    before = after;
                }
            }
        }
    }

    private static List<Snapshot.TargetRow> closed(
            Snapshot snapshot, @org.jspecify.annotations.Nullable String before) {
        if (before == null) {
            return List.of();
        }
        return snapshot.target().stream()
                .filter(row -> PARTITION_ORDER.compare(row.partition(), before) < 0)
                .toList();
    }

    private static final java.util.Comparator<String> PARTITION_ORDER =
            java.util.Comparator.comparing(text -> text.contains("T")
                    ? java.time.OffsetDateTime.parse(text).toInstant()
                    : java.time.Instant.parse(text + "T00:00:00Z"));

    @Test
    void everythingThatCanHappenHappens() {
        Map<String, Long> seen = new TreeMap<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            History history = Histories.random(seed);
            count(seen, "grain " + history.plan().partition().grain());
            count(seen, "zone " + history.plan().partition().zone());
            count(seen, "frontier " + history.plan().time().frontier());
            count(seen, "observed " + history.plan().time().observed());
            count(
                    seen,
                    "mode " + history.plan().changes().mode() + " "
                            + history.plan().changes().hasId() + " "
                            + history.plan().changes().version().size());
            for (ValueColumn column : history.plan().target().columns()) {
                count(seen, "aggregate " + column.function());
                if (column.field() != null) {
                    count(seen, "type " + column.field().type().kind());
                }
            }
            Oracle oracle = new Oracle(history.plan());
            history.records().forEach(oracle::accept);
            Snapshot end = oracle.snapshot();
            for (LedgerRow row : end.ledger()) {
                count(seen, "late " + row.reason().word());
                count(seen, "half " + row.half());
                count(seen, "late " + row.operation());
            }
            for (RejectedRow row : end.rejected()) {
                count(seen, "rejected " + row.reason());
            }
            for (LatenessEntry entry : end.lateness().keySet()) {
                count(seen, "arrival " + entry.arrival() + " " + entry.isLate());
            }
            Counts counts = end.counts();
            add(seen, "rows", end.target().size());
            add(seen, "read", counts.read());
            add(seen, "applied", counts.applied());
            add(seen, "superseded", counts.superseded());
            add(seen, "late", counts.late());
            add(seen, "split", counts.split());
            add(seen, "rejected", counts.rejected());
            add(seen, "half window exceeded", counts.halfWindowExceeded());
        }
        List<String> wanted = new ArrayList<>(List.of(
                "mode APPEND false 0",
                "mode APPEND true 0",
                "mode UPSERT true 0",
                "mode UPSERT true 1",
                "mode UPSERT true 2",
                "rows",
                "applied",
                "superseded",
                "late",
                "split",
                "rejected",
                "half window exceeded",
                "arrival FIRST true",
                "arrival FIRST false",
                "arrival CORRECTION true",
                "arrival CORRECTION false",
                "observed FIELD",
                "observed NONE",
                "rejected undecodable",
                "rejected no-event-time",
                "rejected no-observed-time",
                "rejected no-id",
                "rejected no-version",
                "rejected no-key",
                "rejected future-dated",
                "rejected out-of-range",
                "rejected unstorable",
                "rejected too-long"));
        for (Grain grain : Grain.values()) {
            wanted.add("grain " + grain);
        }
        for (Aggregate aggregate : Aggregate.values()) {
            wanted.add("aggregate " + aggregate);
        }
        for (FrontierKind kind : FrontierKind.values()) {
            wanted.add("frontier " + kind);
        }
        for (Reason reason : Reason.values()) {
            wanted.add("late " + reason.word());
        }
        for (Half half : Half.values()) {
            wanted.add("half " + half);
        }
        for (Operation operation : Operation.values()) {
            wanted.add("late " + operation);
        }
        for (String type : List.of(
                "INT",
                "LONG",
                "FLOAT",
                "DOUBLE",
                "DECIMAL",
                "STRING",
                "BOOLEAN",
                "DATE",
                "TIMESTAMP",
                "UUID",
                "BYTES")) {
            wanted.add("type " + type);
        }
        assertThat(seen.keySet()).containsAll(wanted);
    }

    private static void count(Map<String, Long> seen, String what) {
        add(seen, what, 1);
    }

    private static void add(Map<String, Long> seen, String what, long times) {
        if (times > 0) {
            seen.merge(what, times, Long::sum);
        }
    }
}
