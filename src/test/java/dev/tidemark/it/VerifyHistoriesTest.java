package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Unmatched;
import dev.tidemark.it.Verifying.Found;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.RunningColumns;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the stream makes of generated histories is never wrong, though much of it is late and some of it forgotten; and what
 * somebody then does to the target is found.
 */
@Timeout(600)
class VerifyHistoriesTest {
    private static final int HISTORIES = Integer.getInteger("tidemark.histories", 50);
    private static final int FIRST = Integer.getInteger("tidemark.histories.first", 0);

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static PartitionCount seen = PartitionCount.NONE;
    private static long running;

    @TempDir
    Path folder;

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + Math.max(3, HISTORIES / 5));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void nothingThatTheStreamHasMadeIsWrong(long seed) throws Exception {
        Profile profile = switch ((int) (seed % 3)) {
            case 0 -> Profile.forgetful();
            case 1 -> Profile.everything().withRecords(60, 300);
            default -> Profile.several(Layout.FOLDERS).withRecords(60, 300);
        };
        History drawn = Histories.random(6_500_000 + seed, profile);
        // Three in four have running columns too, each as of the publication that wrote its row.
        History history = seed % 4 == 3 ? drawn : drawn.withPlan(RunningColumns.in(drawn.plan(), new Random(seed)));
        WholeJob job = WholeJob.over("verify-" + seed, history, POSTGRES, folder);
        Random random = new Random(seed);
        job.run(1 + random.nextInt(3), Duration.ofMillis(20 + random.nextInt(60)));
        Verifying verifying = new Verifying(job.plan(), POSTGRES);

        Found found = verifying.run(null, 1 + random.nextInt(3), folder);

        assertThat(found.wrong()).as(job.history().toString()).isEmpty();
        assertThat(found.unmatched())
                .as("rows that are missing, doubled or too many in " + job.history())
                .isEmpty();
        assertThat(found.apart().differences())
                .as(job.history().toString())
                .filteredOn(difference -> difference.verdict() == Difference.Verdict.WRONG)
                .isEmpty();
        assertThat(found.apart().unknown()).isZero();
        running += found.apart().equal();
        String completeFrom = found.standpoint().completeFrom();
        if (completeFrom != null) {
            assertThat(found.differences())
                    .as(job.history().toString())
                    .filteredOn(difference -> difference.verdict() == Difference.Verdict.EXPLAINED)
                    .allMatch(difference -> difference.partition().compareTo(completeFrom) < 0)
                    .allMatch(difference -> difference.accounted() != null);
        }
        seen = seen.plus(found.sum());
        plant(job, verifying, found, random);
    }

    /** Changes one row by hand, takes one away and moves one to where nothing is; of partitions that were equal. */
    private void plant(WholeJob job, Verifying verifying, Found found, Random random) throws Exception {
        List<String> equal = found.counts().stream()
                .filter(PartitionCount::isEqual)
                .map(count -> "'" + count.partition() + "'")
                .toList();
        String partition = job.plan().partition().column();
        List<String> rows = equal.isEmpty()
                ? List.of()
                : job.rows("select ctid from " + job.target() + " where " + partition + " in ("
                        + String.join(", ", equal) + ") order by _members, ctid");
        if (rows.size() < 3) {
            return;
        }
        int first = random.nextInt(rows.size() - 2);
        long removed = members(job, rows.get(first + 1));
        long moved = members(job, rows.get(first + 2));
        execute("update " + job.target() + " set members = members + 1 where ctid = '" + rows.get(first) + "'");
        execute("delete from " + job.target() + " where ctid = '" + rows.get(first + 1) + "'");
        execute("update " + job.target() + " set " + partition + " = " + partition
                + " + interval '4000 days' where ctid = '" + rows.get(first + 2) + "'");

        Found planted = verifying.run(null, 1, folder);

        assertThat(planted.wrong())
                .as(job.history().toString())
                .extracting(difference -> difference.kind())
                .containsExactlyInAnyOrder(
                        Difference.Kind.DIFFERENT,
                        Difference.Kind.MISSING,
                        Difference.Kind.MISSING,
                        Difference.Kind.EXTRA);
        assertThat(rows(planted, Unmatched.Kind.MISSING))
                .as("rows that are missing in " + job.history())
                .isEqualTo(removed + moved);
        assertThat(rows(planted, Unmatched.Kind.UNEXPECTED))
                .as("rows too many in " + job.history())
                .isEqualTo(moved);
        assertThat(planted.unmatched()).allMatch(row -> row.kind() == Unmatched.Kind.UNEXPECTED || row.split() != null);
    }

    private static long members(WholeJob job, String row) throws Exception {
        return Long.parseLong(job.rows("select _members from " + job.target() + " where ctid = '" + row + "'")
                .get(0));
    }

    private static long rows(Found found, Unmatched.Kind kind) {
        return found.unmatched().stream()
                .filter(row -> row.kind() == kind)
                .mapToLong(Unmatched::rows)
                .sum();
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @AfterAll
    static void theHistoriesHadSomethingToAccountFor() {
        if (HISTORIES >= 40) {
            assertThat(seen.equal()).as("equal rows").isGreaterThan(50);
            assertThat(running).as("rows with right running columns").isGreaterThan(50);
            assertThat(seen.explained()).as("explained rows").isGreaterThan(20);
            assertThat(seen.beyondMemory()).as("rows beyond memory").isGreaterThan(0);
        }
    }
}
