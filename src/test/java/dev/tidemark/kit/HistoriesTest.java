package dev.tidemark.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.Half;
import dev.tidemark.kit.Snapshot.LatenessEntry;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.Operation;
import dev.tidemark.kit.Snapshot.Reason;
import dev.tidemark.kit.Snapshot.RejectedRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoriesTest {
    private static final int SEEDS = 300;
    private static final Comparator<String> PARTITION_ORDER = Comparator.comparing(
            text -> text.contains("T") ? OffsetDateTime.parse(text).toInstant() : Instant.parse(text + "T00:00:00Z"));

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

    private static List<Snapshot.TargetRow> closed(Snapshot snapshot, @Nullable String before) {
        if (before == null) {
            return List.of();
        }
        return snapshot.target().stream()
                .filter(row -> PARTITION_ORDER.compare(row.partition(), before) < 0)
                .toList();
    }

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
            add(seen, "returned", oracle.returned());
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
                "returned",
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
        for (Aggregate aggregate : RandomPlan.LOCAL) {
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

    @Test
    void theForgetfulProfileGoesBeyondMemory() {
        int beyond = 0;
        for (long seed = 0; seed < 100; seed++) {
            History history = Histories.random(seed, Profile.forgetful());
            Oracle oracle = new Oracle(history.plan());
            boolean wasBeyond = false;
            for (SourceRecord record : history.records()) {
                oracle.accept(record);
                wasBeyond |= oracle.isLastBeyondMemory();
            }
            beyond += wasBeyond ? 1 : 0;
        }
        assertThat(beyond).isPositive();
    }

    @Test
    void aSeedAlwaysGivesTheSameHistory() {
        for (long seed = 0; seed < 20; seed++) {
            assertThat(Histories.random(seed))
                    .hasToString(Histories.random(seed).toString());
        }
        assertThat(Histories.random(1).records().toString())
                .isNotEqualTo(Histories.random(2).records().toString());
    }

    @Test
    void whatIsWrittenIsWhatWasGenerated(@TempDir Path folder) throws IOException {
        History history = Histories.random(11);
        JobPlan plan = history.writeTo(folder);
        assertThat(plan.source().path()).isEqualTo(folder.toString());
        List<LogFile> files = new ArrayList<>();
        for (LogFile file : history.files()) {
            List<byte[]> lines = new ArrayList<>();
            String text = Files.readString(folder.resolve(file.path()), StandardCharsets.ISO_8859_1);
            text.lines().forEach(line -> lines.add(line.getBytes(StandardCharsets.ISO_8859_1)));
            files.add(new LogFile(file.path(), lines));
        }
        assertThat(new History("read back", plan, files).records())
                .extracting(SourceRecord::toString)
                .isEqualTo(
                        history.records().stream().map(SourceRecord::toString).toList());
    }

    @Test
    void cuttingTheRecordsIntoOtherFilesChangesPositionsOnly() {
        for (long seed = 0; seed < 30; seed++) {
            History history = Histories.random(seed);
            Snapshot one = replay(history);
            Snapshot other = replay(history.cut(7));
            assertThat(other.target()).isEqualTo(one.target());
            assertThat(other.counts()).isEqualTo(one.counts());
            assertThat(other.lateness()).isEqualTo(one.lateness());
            assertThat(other.ledger()).hasSameSizeAs(one.ledger());
            assertThat(other.positions().values().stream().mapToLong(Long::longValue))
                    .allMatch(next -> next <= 7);
        }
    }

    @Test
    void filesAreReadInTheOrderOfTheirPathsByBytes() {
        List<byte[]> line = List.of("{}".getBytes(StandardCharsets.UTF_8));
        History history = new History(
                "by hand",
                Plans.products().plan(),
                List.of(
                        new LogFile("\ud83d\ude00.json", line),
                        new LogFile("\uff5e.json", line),
                        new LogFile("a/b.json", line),
                        new LogFile("a.json", line),
                        new LogFile("B.json", line)));
        assertThat(history.records())
                .extracting(SourceRecord::split)
                .containsExactly("B.json", "a.json", "a/b.json", "\uff5e.json", "\ud83d\ude00.json");
    }

    @Test
    void blankLinesAreNoRecords() {
        History history = History.of(Plans.products().plan(), "{}", "", " \t", "[]");
        assertThat(history.records()).extracting(SourceRecord::offset).containsExactly(0L, 1L);
        assertThat(history.prefix(1).records()).hasSize(1);
    }

    @Test
    void shrinkingKeepsOnlyWhatTheFailureNeeds() {
        History history = Histories.random(5);
        History smallest = Histories.shrink(
                history, candidate -> replay(candidate).counts().split() >= 1);
        assertThat(replay(smallest).counts().split()).isEqualTo(1);
        assertThat(smallest.records()).hasSizeBetween(2, 4);
        for (int i = 0; i < smallest.records().size(); i++) {
            int left = i;
            assertThat(replay(smallest.keeping("one less", index -> index != left))
                            .counts()
                            .split())
                    .isZero();
        }
    }

    private static Snapshot replay(History history) {
        Oracle oracle = new Oracle(history.plan());
        history.records().forEach(oracle::accept);
        return oracle.snapshot();
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
