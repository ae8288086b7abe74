package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Agreement;
import dev.tidemark.kit.Canonical;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Snapshot;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.SourceRecord;
import dev.tidemark.publish.LogCut;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Frontiers that a person sets back, over generated histories with wild clocks, under crashes and rescaling. */
class FrontierResetTest {
    private static final int HISTORIES = 60;

    @Test
    void aResetHoldsFromWhereTheStateStoodAndOnce() throws Exception {
        for (long seed = 2_500_000; seed < 2_500_000 + HISTORIES; seed++) {
            History history = Histories.random(seed, Profile.everything());
            String difference = difference(seed, history);
            if (difference != null) {
                fail("seed " + seed + ": " + difference);
            }
        }
    }

    @Test
    void overSeveralLogsAResetChangesNothingThatIsClosed() throws Exception {
        int reset = 0;
        for (long seed = 2_600_000; seed < 2_600_000 + HISTORIES / 2; seed++) {
            History history = Histories.random(seed, Profile.several(Profile.Layout.FOLDERS));
            List<Publication> publications = overSeveral(seed, history);
            reset += publications.isEmpty() ? 0 : 1;
            Publication before = null;
            for (Publication publication : publications) {
                assertThat(Agreement.conservation(publication))
                        .as("seed %d", seed)
                        .isNull();
                if (before != null) {
                    assertThat(Agreement.stablePrefix(before, publication))
                            .as("seed %d", seed)
                            .isNull();
                }
                before = publication;
            }
        }
        assertThat(reset).isGreaterThan(HISTORIES / 4);
    }

    private static @Nullable String difference(long seed, History history) throws Exception {
        Random random = new Random(seed);
        JobPlan plan = history.plan();
        List<SourceRecord> records = history.records();
        int before = random.nextInt(records.size() + 1);
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        records.subList(0, before).forEach(oracle::accept);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan)) {
            Checkpoint savepoint = savepoint(plan, history, before, warehouse, random);
            List<LogCut> logs = logs(warehouse);
            if (logs.isEmpty()) {
                return null;
            }
            LogCut log = logs.get(0);
            long instant = earlier(plan, log.frontier(), random);
            oracle.barrier(Set.of());
            oracle.resetFrontier(log.log(), Objects.requireNonNull(Canonical.instant(instant)));
            try (HarnessJob job = HarnessJob.submitResetting(
                    FrontierResets.of(Map.of(log.log(), instant)),
                    savepoint,
                    plan,
                    new HarnessSource(history),
                    warehouse,
                    "reset",
                    1 + random.nextInt(3),
                    random)) {
                int left = records.size() - before;
                job.read(random.nextInt(1 + left));
                job.crash(1 + random.nextInt(3));
                job.read(random.nextInt(1 + left));
                job.checkpoint();
                job.crash(1 + random.nextInt(3));
                job.read(Integer.MAX_VALUE);
                job.finish();
                job.checkpoint();
            }
            records.subList(before, records.size()).forEach(oracle::accept);
            return differs(warehouse.visible(), oracle.snapshot(), iso(plan, log.frontier()));
        }
    }

    private static @Nullable String differs(Visible visible, Snapshot snapshot, String wildest) {
        if (!visible.rows().equals(snapshot.target())) {
            return "the target is\n" + visible.rows() + "\nand should be\n" + snapshot.target();
        }
        if (!visible.counts().equals(snapshot.counts())) {
            return "the counts are " + visible.counts() + " and should be " + snapshot.counts();
        }
        List<String> ledger = verdicts(visible.ledger());
        if (!ledger.equals(verdicts(snapshot.ledger()))) {
            return "the ledger is\n" + ledger + "\nand should be\n" + verdicts(snapshot.ledger());
        }
        String completeFrom = visible.completeFrom();
        return completeFrom != null && completeFrom.compareTo(wildest) < 0
                ? "complete from " + completeFrom + ", although a frontier was reset that stood in " + wildest
                : null;
    }

    /** What was late. Which of two bounds closed it the oracle cannot tell: it has the job's for all logs alike. */
    private static List<String> verdicts(List<LedgerRow> rows) {
        return rows.stream()
                .map(row -> row.split() + " " + row.offset() + " " + row.half() + " " + row.partition() + " "
                        + row.frontier())
                .toList();
    }

    private static List<Publication> overSeveral(long seed, History history) throws Exception {
        Random random = new Random(seed);
        JobPlan plan = history.plan();
        int records = history.records().size();
        int before = random.nextInt(records + 1);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan)) {
            Checkpoint savepoint = savepoint(plan, history, before, warehouse, random);
            Map<String, Long> resets = new HashMap<>();
            for (LogCut log : logs(warehouse)) {
                if (random.nextBoolean()) {
                    resets.put(log.log(), earlier(plan, log.frontier(), random));
                }
            }
            try (HarnessJob job = HarnessJob.submitResetting(
                    FrontierResets.of(resets),
                    savepoint,
                    plan,
                    new HarnessSource(history),
                    warehouse,
                    "reset",
                    1 + random.nextInt(3),
                    random)) {
                job.read(random.nextInt(1 + records - before));
                job.checkpoint();
                job.crash(1 + random.nextInt(3));
                job.read(Integer.MAX_VALUE);
                job.finish();
                job.checkpoint();
            }
            return resets.isEmpty() ? List.of() : List.copyOf(warehouse.publications());
        }
    }

    private static Checkpoint savepoint(
            JobPlan plan, History history, int before, MemoryWarehouse warehouse, Random random) throws Exception {
        try (HarnessJob job = HarnessJob.submit(
                plan, new HarnessSource(history), warehouse, "before", 1 + random.nextInt(3), random)) {
            job.read(before);
            job.checkpoint();
            job.checkpoint();
            return job.completed().get(job.completed().size() - 1);
        }
    }

    /** The logs that have a frontier. */
    private static List<LogCut> logs(MemoryWarehouse warehouse) {
        return warehouse.visible().logs().stream()
                .filter(log -> log.frontier() != LogCut.UNKNOWN)
                .toList();
    }

    /** Up to nine partitions earlier, or only a moment. */
    private static long earlier(JobPlan plan, long frontier, Random random) {
        Calendar calendar = Gate.calendarOf(plan);
        int partitions = random.nextInt(10);
        return partitions == 0
                ? frontier - 1
                : calendar.endOf(calendar.plus(calendar.partitionOf(frontier), -partitions)) - 1;
    }

    private static String iso(JobPlan plan, long frontier) {
        Calendar calendar = Gate.calendarOf(plan);
        return calendar.iso(calendar.partitionOf(frontier));
    }
}
