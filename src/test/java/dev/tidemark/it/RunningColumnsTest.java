package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.PRICE;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.TEXT;
import static dev.tidemark.kit.Plans.WEIGHT;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.evidence.Difference;
import dev.tidemark.job.Aggregate;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.publish.PartitionSpan;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Running columns of a job that runs once a day, over changes that come late, move and go. */
@Timeout(300)
class RunningColumnsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final long SEED = 20_261_001;
    private static final int DAYS = 7;
    private static final LocalDate FIRST = LocalDate.of(2026, 10, 1);
    private static final Duration OFTEN = Duration.ofMillis(100);

    @TempDir
    Path folder;

    private static Plans running() {
        return products()
                // Nothing is forgotten: what comes of that is told from faults by verify, and here there are to be
                // none.
                .withLookback(2, 20)
                .withColumn("quantity", Aggregate.SUM, QUANTITY)
                .withColumn("lines_so_far", Aggregate.RUNNING_COUNT, QUANTITY)
                .withColumn("quantity_so_far", Aggregate.RUNNING_SUM, QUANTITY)
                .withColumn("price_so_far", Aggregate.RUNNING_SUM, PRICE)
                .withColumn("weight_so_far", Aggregate.RUNNING_SUM, WEIGHT)
                .withColumn("texts_so_far", Aggregate.RUNNING_COUNT_DISTINCT, TEXT);
    }

    /**
     * Runs that begin from nothing and such that go on where the last one stopped. Then once more over the same changes, and a
     * rebuild of everything.
     */
    @Test
    void everyRowIsAsOfTheDayThatWroteItAndARebuildShowsTheEnd() throws Exception {
        WholeJob job = WholeJob.watching("running", running().plan(), POSTGRES, folder);
        runDaily(job, running());

        job.agrees();
        List<TargetRow> atTheEnd = atTheEnd(job);
        List<TargetRow> rows = job.target("");
        String last = last(rows);
        Set<String> differing = new TreeSet<>();
        for (int i = 0; i < rows.size(); i++) {
            TargetRow row = rows.get(i);
            TargetRow end = atTheEnd.get(i);
            assertThat(row.partition()).isEqualTo(end.partition());
            assertThat(row.key()).isEqualTo(end.key());
            for (int column = 0; column < row.values().size(); column++) {
                if (!String.valueOf(row.values().get(column))
                        .equals(String.valueOf(end.values().get(column)))) {
                    assertThat(row.partition()).as("the last day never differs").isNotEqualTo(last);
                    differing.add(job.plan().target().columns().get(column).name());
                }
            }
        }
        assertThat(differing)
                .as("columns that are not everywhere as they are in the end")
                .containsExactly("lines_so_far", "price_so_far", "quantity_so_far", "texts_so_far", "weight_so_far");
        assertThat(job.ledger("status")).as("late changes").contains("open");

        List<String> everything = job.everything();
        WholeJob.bounded("running", running().plan(), POSTGRES, folder).run(1, OFTEN);
        assertThat(job.everything()).as("after the same changes again").isEqualTo(everything);

        verifies(job);
        findsWhatIsWrong(job);

        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        rebuilding.run(PartitionSpan.ALL);
        rebuilding.equalsRecomputation(PartitionSpan.ALL);
        assertThat(job.ledger("status")).containsOnly("incorporated");
        verifies(job);

        // What the rebuild brought in is not in the state: the stream goes on with what it has admitted.
        job.deliver(
                "day-7.json", day(DAYS, new ArrayList<>(), new Random(SEED + 1)).toArray(OrderLine[]::new));
        WholeJob.bounded("running", running().plan(), POSTGRES, folder).run();
        assertThat(job.rows("select distinct _pane from " + job.target())).contains("REBUILT", "EARLY");
        verifies(job);
    }

    /** Every row is what an independent computation has of it, its running columns as of the publication that wrote it. */
    private void verifies(WholeJob job) throws Exception {
        Verifying.Found found = new Verifying(job.plan(), POSTGRES).run(null, 2, folder);
        assertThat(found.wrong()).isEmpty();
        assertThat(found.apart().differences()).isEmpty();
        assertThat(found.apart().unknown()).isZero();
        assertThat(found.apart().equal()).isEqualTo(job.target("").size());
    }

    private void findsWhatIsWrong(WholeJob job) throws Exception {
        execute("update " + job.target() + " set quantity_so_far = quantity_so_far + 1, texts_so_far = texts_so_far - 1"
                + " where day = '2026-10-04' and product = 'B'");
        Verifying.Found found = new Verifying(job.plan(), POSTGRES).run("2026-10-03", 2, folder);
        assertThat(found.wrong()).as("local columns").isEmpty();
        assertThat(found.apart().differences()).singleElement().satisfies(difference -> {
            assertThat(difference.partition()).isEqualTo("2026-10-04");
            assertThat(difference.key()).containsExactly("B");
            assertThat(difference.values())
                    .extracting(Difference.Value::column)
                    .containsExactly("quantity_so_far", "texts_so_far");
        });
        execute("update " + job.target() + " set quantity_so_far = quantity_so_far - 1, texts_so_far = texts_so_far + 1"
                + " where day = '2026-10-04' and product = 'B'");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * A retroactive job writes the open days again, so that they are as one computation over everything has them; and since
     * what a closed day adds up lies in closed days, it stays so.
     */
    @Test
    void aRetroactiveJobHasEveryDayAsOneComputationOverAllThatWasAdmitted() throws Exception {
        WholeJob job =
                WholeJob.watching("retroactive", running().withRetroactive().plan(), POSTGRES, folder);
        runDaily(job, running().withRetroactive());

        job.agrees();
        assertThat(job.target("")).isEqualTo(atTheEnd(job));
        assertThat(job.rows(
                        "select count(*) from " + job.target() + "_revisions r join " + job.target() + "_revisions b"
                                + " on (r.day, r.product, r._revision) = (b.day, b.product, b._revision + 1)"
                                + " and r._fingerprint = b._fingerprint"))
                .as("rows that were written again for the sake of running columns only")
                .doesNotContain("0");

        Rebuilding rebuilding = new Rebuilding(job, POSTGRES);
        PartitionSpan second = rebuilding.span("2026-10-02", "2026-10-02");
        List<TargetRow> others = job.target("2026-10-03");
        rebuilding.run(second);
        rebuilding.equalsRecomputation(second);
        assertThat(job.target("2026-10-03")).as("days behind a rebuilt one").isEqualTo(others);
    }

    @Test
    void commentsOnTheColumnsSayWhichAreGlobal() throws Exception {
        WholeJob job = WholeJob.bounded("comments", running().plan(), POSTGRES, folder);

        for (String table : List.of(job.target(), job.target() + "_revisions")) {
            assertThat(job.rows("select a.attname, col_description(a.attrelid, a.attnum) from pg_attribute a"
                            + " where a.attrelid = '" + table + "'::regclass and a.attnum > 0"
                            + " and col_description(a.attrelid, a.attnum) is not null order by a.attnum"))
                    .containsExactly(
                            "n local",
                            "quantity local",
                            "lines_so_far global: as of _publication",
                            "quantity_so_far global: as of _publication",
                            "price_so_far global: as of _publication",
                            "weight_so_far global: as of _publication",
                            "texts_so_far global: as of _publication");
        }
    }

    // ------------------------------------------------------------------------------------------------------- the story

    /**
     * Runs that begin from nothing publish once, at their end; so does the last. The others publish when it comes to them, and
     * stop with a savepoint.
     */
    private void runDaily(WholeJob job, Plans plans) throws Exception {
        WholeJob bounded = WholeJob.bounded(job.plan().job(), plans.plan(), POSTGRES, folder);
        Random random = new Random(SEED);
        List<Placed> placed = new ArrayList<>();
        String savepoint = null;
        for (int day = 0; day < DAYS; day++) {
            job.deliver("day-" + day + ".json", day(day, placed, random).toArray(OrderLine[]::new));
            if (day < 2 || day == DAYS - 1) {
                bounded.run();
            } else {
                JobClient run = job.submit(1 + day % 2, OFTEN, savepoint);
                job.awaitPublished(run);
                savepoint = job.stop(run);
            }
        }
    }

    /** An order line as it was said last. */
    private record Placed(String id, long version, Instant event, String product) {}

    /** What is seen on a day: new lines, some of them late; lines that change, move to another day or product, and go. */
    private static List<OrderLine> day(int day, List<Placed> placed, Random random) {
        List<OrderLine> lines = new ArrayList<>();
        Instant morning = FIRST.plusDays(day).atStartOfDay().toInstant(ZoneOffset.UTC);
        for (int i = 0; i < 40; i++) {
            Instant seen = morning.plus(i * 30L, ChronoUnit.MINUTES);
            boolean isNew = placed.size() < 20 || random.nextInt(3) > 0;
            Placed known = isNew ? null : placed.remove(random.nextInt(placed.size()));
            if (known != null && random.nextInt(4) == 0) {
                lines.add(delete(known.id(), known.version() + 1).seen(seen.toString()));
                continue;
            }
            boolean isLate = random.nextInt(5) == 0;
            Instant event = known != null && random.nextBoolean()
                    ? known.event()
                    : seen.minus(isLate ? random.nextInt(96) : 0, ChronoUnit.HOURS);
            Placed line = new Placed(
                    known == null ? "line-" + day + "-" + i : known.id(),
                    known == null ? 1 : known.version() + 1,
                    event,
                    known != null && random.nextBoolean()
                            ? known.product()
                            : String.valueOf((char) ('A' + random.nextInt(4))));
            placed.add(line);
            lines.add(upsert(line.id(), line.version())
                    .at(event.toString())
                    .seen(seen.toString())
                    .product(line.product())
                    .quantity(random.nextInt(100))
                    .with("price", BigDecimal.valueOf(random.nextInt(10_000), 2))
                    .with("weight", random.nextInt(4) == 0 ? null : random.nextGaussian())
                    .with("text", "text " + random.nextInt(80)));
        }
        return lines;
    }

    /** What one computation over all changes has that were admitted. */
    private static List<TargetRow> atTheEnd(WholeJob job) {
        Oracle oracle = new Oracle(job.plan(), Fingerprints.of(job.plan()));
        job.history().records().forEach(oracle::accept);
        return oracle.snapshot().target();
    }

    private static String last(List<TargetRow> rows) {
        Set<String> partitions = new HashSet<>();
        rows.forEach(row -> partitions.add(row.partition()));
        return partitions.stream().max(String::compareTo).orElseThrow();
    }
}
