package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.KafkaBroker;
import dev.tidemark.kit.Plans;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What befalls a job that reads a topic, on real parts; all that is published is held against the oracle. */
@Timeout(180)
class KafkaAccidentsTest {
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final Duration IDLE = Duration.ofMillis(300);
    private static final int LOOKBACK = 3;

    @RegisterExtension
    static final KafkaBroker KAFKA = KafkaBroker.inItsOwnProcess();

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    @TempDir
    Path folder;

    private WholeJob job(String name, int partitions, Map<String, String> properties) throws Exception {
        JobPlan plan = Plans.products()
                .withColumn("quantity", Aggregate.SUM, Plans.QUANTITY)
                .withColumn("last", Aggregate.LATEST, Plans.QUANTITY)
                .plan();
        return WholeJob.reading(KAFKA, partitions, properties, name, plan, POSTGRES, folder)
                .waitingFor(IDLE);
    }

    /** A new line of a day in March 2024, seen at once. */
    private static OrderLine line(String id, int day, int second) {
        return OrderLine.upsert(id, 1).atOnce(time(day, second)).quantity(second);
    }

    private static String time(int day, int second) {
        return Instant.parse("2024-03-01T06:00:00Z")
                .plusSeconds((day - 1) * 86_400L + second)
                .toString();
    }

    @Test
    void idleReadersAndADrainCloseNothingAndForgetNothing() throws Exception {
        WholeJob job = job("drained", 2, Map.of());
        job.send(0, line("a", 17, 1), line("b", 18, 2), line("c", 20, 3));
        job.send(1, line("d", 14, 1), line("e", 17, 2), line("f", 20, 4));
        JobClient run = job.submit(2, OFTEN);
        job.awaitPublished(run);
        Thread.sleep(3 * IDLE.toMillis());
        List<String> before = job.everything();

        String savepoint = run.stopWithSavepoint(true, job.savepoints(), SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);

        assertThat(job.everything()).isEqualTo(before);
        // Corrections of the oldest open day, of a version that is known, of a day that is withheld, and of one before.
        job.send(
                0,
                OrderLine.upsert("a", 2).at(time(17, 1)).seen(time(20, 10)).quantity(100),
                OrderLine.upsert("b", 0).at(time(18, 2)).seen(time(20, 11)).quantity(1000),
                OrderLine.delete("c", 2).seen(time(20, 12)));
        job.send(
                1,
                OrderLine.upsert("d", 2).at(time(14, 1)).seen(time(20, 10)).quantity(1000),
                OrderLine.upsert("e", 2).at(time(16, 2)).seen(time(20, 11)).quantity(1000),
                OrderLine.upsert("f", 2).at(time(18, 4)).seen(time(20, 12)).quantity(10));
        JobClient restored = job.submit(3, OFTEN, savepoint);
        job.awaitPublished(restored);
        WholeJob.cancel(restored);

        job.agrees();
        assertThat(job.targetRows("day, n, quantity"))
                .containsExactly("2024-03-14 1 1", "2024-03-17 1 100", "2024-03-18 2 12");
        assertThat(job.ledger("record_id, half, reason, withheld"))
                .containsExactly("d whole outside-window t", "e new outside-window t");
        assertThat(job.publications("closed_before")).last().isEqualTo("2024-03-17");
    }

    /** The slow log also brings, with each day, what is just open for it. */
    @Test
    void aPartitionThatIsDaysBehindIsWaitedForAndNothingOfItIsLate() throws Exception {
        WholeJob job = job("behind", 2, Map.of("max.poll.records", "20"));
        List<OrderLine> slow = new ArrayList<>();
        for (int day = 1; day <= 7; day++) {
            for (int i = 0; i < 600; i++) {
                OrderLine line = line("s" + day + "-" + i, day, i);
                slow.add(i % 20 == 7 ? line.at(time(day - LOOKBACK, i)) : line);
            }
        }
        List<OrderLine> fast = new ArrayList<>();
        for (int day = 4; day <= 8; day++) {
            for (int i = 0; i < 400; i++) {
                fast.add(line("f" + day + "-" + i, day, i));
            }
        }
        job.send(0, slow.toArray(OrderLine[]::new));
        job.send(1, fast.toArray(OrderLine[]::new));
        Mishaps.slow(job.plan().job(), 8);

        JobClient run = job.submit(2, OFTEN);
        job.awaitPublished(run);
        WholeJob.cancel(run);

        List<Publication> publications = job.agrees();
        assertThat(job.rows("select sum(late), sum(split) from tidemark.publications where job = 'behind'"))
                .containsExactly("0 0");
        List<Publication> skewed = publications.stream()
                .filter(publication -> read(publication, "behind-0") < slow.size()
                        && read(publication, "behind-0") > 0
                        && read(publication, "behind-1") > 0)
                .toList();
        assertThat(skewed).hasSizeGreaterThan(10);
        for (Publication publication : skewed) {
            int slowDay = 1 + (read(publication, "behind-0") - 1) / 600;
            int fastDay = 4 + (read(publication, "behind-1") - 1) / 400;
            // a day of its own, and what had been fetched when it was held
            assertThat(fastDay).as(publication.toString()).isLessThanOrEqualTo(Math.max(5, slowDay + 2));
            assertThat(day(publication.completeFrom())).isEqualTo(fastDay - LOOKBACK);
            assertThat(day(publication.closedBefore())).isEqualTo(slowDay - LOOKBACK);
        }
    }

    /**
     * While the broker is away one log has been read as far as it was fetched and has unread records, and the other goes on
     * with what was fetched. Nobody can tell that the first one is at its end: it is waited for.
     */
    @Test
    void aBrokerThatIsKilledAndComesBackLosesAndDoublesNothingAndMakesNoLogIdle() throws Exception {
        WholeJob job = job("killed", 2, Map.of("max.partition.fetch.bytes", "65536", "max.poll.records", "20"));
        List<OrderLine> large = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            large.add(line("large" + i, 10, i).with("text", "x".repeat(34_000)));
        }
        List<OrderLine> small = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            small.add(line("small" + i, i < 20 ? 10 : 11, i));
        }
        job.send(0, large.toArray(OrderLine[]::new));
        job.send(1, small.toArray(OrderLine[]::new));
        Mishaps.slow(job.plan().job(), 1);
        JobClient run = job.submit(2, OFTEN);
        WholeJob.await(run, "records of both logs published", () -> {
            List<Publication> so = published(job);
            return !so.isEmpty()
                    && read(so.get(so.size() - 1), "killed-0") > 0
                    && read(so.get(so.size() - 1), "killed-1") > 20;
        });

        KAFKA.kill();
        Thread.sleep(3 * IDLE.toMillis());
        int whenIdle = published(job).size();
        WholeJob.await(run, "what had been fetched", () -> published(job).size() > whenIdle);
        KAFKA.start();
        job.awaitPublished(run);
        WholeJob.cancel(run);

        List<Publication> publications = job.agrees();
        List<Publication> unread = publications.stream()
                .filter(publication -> read(publication, "killed-0") < large.size())
                .toList();
        assertThat(unread).hasSizeGreaterThan(whenIdle);
        assertThat(unread.get(unread.size() - 1).completeFrom()).isEqualTo("2024-03-08");
        assertThat(unread).extracting(Publication::closedBefore).last().isEqualTo("2024-03-07");
        assertThat(publications)
                .extracting(Publication::closedBefore)
                .isSortedAccordingTo(Comparator.nullsFirst(Comparator.naturalOrder()));
    }

    private static List<Publication> published(WholeJob job) throws SQLException {
        try (var analyst = POSTGRES.connect()) {
            return new Published(analyst, job.plan()).publications();
        }
    }

    private static int read(Publication publication, String log) {
        return publication.positions().getOrDefault(log, 0L).intValue();
    }

    /** Which day of March 2024 it is. */
    private static int day(@Nullable String date) {
        return (int)
                ChronoUnit.DAYS.between(LocalDate.parse("2024-02-29"), LocalDate.parse(Objects.requireNonNull(date)));
    }
}
