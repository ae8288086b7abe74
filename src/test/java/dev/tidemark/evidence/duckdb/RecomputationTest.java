package dev.tidemark.evidence.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.kit.ColumnCondition;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The recomputation in SQL is what the oracle makes of the same history with nothing closed and nothing forgotten. */
class RecomputationTest {
    private static final int HISTORIES = Integer.getInteger("tidemark.histories", 50);
    private static final int FIRST = Integer.getInteger("tidemark.histories.first", 0);

    @TempDir
    Path folder;

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + HISTORIES);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void cellsAreWhatTheOracleMakesOfThem(long seed) throws Exception {
        Profile profile = switch ((int) (seed % 5)) {
            case 0 -> Profile.everything().withRecords(40, 300);
            case 1 -> Profile.forgetful();
            case 2 -> Profile.several(Layout.FOLDERS);
            case 3 -> Profile.several(Layout.PARTITIONS);
            default -> Profile.crossing(Layout.FOLDERS);
        };
        History history = Histories.random(6_000_000 + seed, profile);
        Random random = new Random(seed);
        Map<String, ColumnCondition> conditions = ColumnCondition.random(history.plan(), random);
        JobPlan plan = ColumnCondition.in(history.plan(), conditions);
        Recorded.write(history, plan, folder, random);
        List<TargetRow> expected = expected(history, conditions);

        try (Recomputation recomputation = Recomputation.open(plan, folder, 200, 2)) {
            recomputation.findLive();
            recomputation.computeCells();

            assertThat(Recorded.cells(recomputation, plan))
                    .as(history.toString())
                    .isEqualTo(expected);
        }
    }

    private static List<TargetRow> expected(History history, Map<String, ColumnCondition> conditions) {
        JobPlan open = withoutWindow(history.plan());
        Oracle oracle = new Oracle(open, Fingerprints.of(open), conditions);
        history.logs().forEach((log, records) -> {
            oracle.begin(log);
            records.forEach(oracle::accept);
        });
        return oracle.snapshot().target();
    }

    /** The same job with everything open and nothing forgotten. */
    private static JobPlan withoutWindow(JobPlan plan) {
        PartitionPlan partition = plan.partition();
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                new PartitionPlan(partition.grain(), partition.zone(), 20_000, null, 20_000, partition.column(), null),
                plan.target());
    }
}
