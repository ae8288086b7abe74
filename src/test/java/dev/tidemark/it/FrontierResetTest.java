package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Agreement;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.Profile;
import dev.tidemark.publish.LogCut;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Frontiers that a person sets back, over generated histories with wild clocks, under crashes and rescaling. */
class FrontierResetTest {
    private static final int HISTORIES = 60;

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
}
