package dev.tidemark.it.cluster;

import static dev.tidemark.it.cluster.SalesJob.sale;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tidemark.it.cluster.LocalCluster.Output;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The ways to bring late changes in, by hand and beside a job that goes on reading, and what is refused on the way. */
@Tag("cluster")
@Timeout(900)
class RecoveryOnAClusterTest {
    @RegisterExtension
    static final LocalCluster CLUSTER = LocalCluster.shared();

    /** What a test that has failed leaves running would take the slots of the next. */
    @AfterEach
    void endWhatRuns() throws Exception {
        CLUSTER.cancelAll();
    }

    /** The Flink jobs that have not ended. */
    private static List<String> running() throws Exception {
        List<String> running = new ArrayList<>();
        for (JsonNode job : CLUSTER.rest("/jobs/overview").path("jobs")) {
            if (job.path("end-time").asLong() < 0) {
                running.add(job.path("jid").asText());
            }
        }
        running.sort(null);
        return running;
    }

    /** Asserts that a command has ended with this status and one message, without a trace. */
    private static void isRefused(Output output, int status, String message) {
        assertThat(output.status()).as(output.toString()).isEqualTo(status);
        assertThat(output.err().lines().filter(line -> line.startsWith("tidemark: ")))
                .as(output.toString())
                .singleElement()
                .asString()
                .contains(message);
        assertThat(output.out() + output.err())
                .as("a trace")
                .doesNotContain("\tat ")
                .doesNotContain("Caused by");
    }

    /** Four days; what comes for the first two on the last is too late. */
    private static void deliverFourDays(SalesJob job, String id) throws Exception {
        job.deliver(
                sale("a", 1, "03-10T10:00:00", "03-10T10:00:01"),
                sale("b", 2, "03-11T10:00:00", "03-11T10:00:01"),
                sale("c", 4, "03-12T10:00:00", "03-12T10:00:01"),
                sale("d", 8, "03-13T10:00:00", "03-13T10:00:01"));
        job.awaitPublished(id);
        job.deliver(
                sale("e", 16, "03-10T11:00:00", "03-13T11:00:00"), sale("b", 32, "03-11T10:00:00", "03-13T12:00:00"));
        job.awaitPublished(id);
    }

    /** One sale a second of the fourth day, all in time. */
    private static Supplier<String> salesOfTheFourthDay() {
        AtomicInteger second = new AtomicInteger();
        return () -> {
            int now = second.incrementAndGet();
            String time = "03-13T%02d:%02d:%02d".formatted(13 + now / 3600, now / 60 % 60, now % 60);
            return sale("live " + now, now, time, time);
        };
    }

    @Test
    void closedPartitionsAreRebuiltBesideTheStreamThatGoesOnAndMayBeWidenedOverAfterwards() throws Exception {
        SalesJob job = SalesJob.named("rebuilt-beside", CLUSTER);
        String id = job.submit();
        deliverFourDays(job, id);
        assertThat(job.rows("select max(closed_before) from tidemark.publications"))
                .containsExactly("2024-03-12");
        job.rows("insert into shop.sales select (jsonb_populate_record(t, '{\"shop\": \"nobody\"}')).*"
                + " from shop.sales t where day = '2024-03-10' returning 1");
        job.rows("update shop.sales set amount = 99 where day = '2024-03-10' and shop = 'shop a' returning 1");

        try (SalesJob.Live live = job.live(salesOfTheFourthDay())) {
            job.awaitMore(id, 3);
            List<String> yesterday = job.target("2024-03-11", "2024-03-11");
            Output attached = job.underFlink(
                    List.of(), "rebuild", "--from", "2024-03-10", "--to", "2024-03-10", "--parallelism", "1");
            assertThat(LocalCluster.ok(attached)).contains("rebuilt", "removed 1", "1 marked incorporated");
            assertThat(job.target("2024-03-10", "2024-03-10"))
                    .hasSize(2)
                    .isEqualTo(job.window(4, "2024-03-10", "2024-03-10"));
            assertThat(job.target("2024-03-11", "2024-03-11")).isEqualTo(yesterday);
            job.awaitMore(id, 3);

            String detached = SalesJob.flinkJob(job.underFlink(
                    List.of("-d"), "rebuild", "--from", "2024-03-11", "--to", "2024-03-11", "--parallelism", "1"));
            job.await(
                    detached,
                    "the end of the rebuild",
                    () -> job.state(detached).equals("FINISHED"));
            assertThat(job.target("2024-03-11", "2024-03-11"))
                    .isNotEqualTo(yesterday)
                    .isEqualTo(job.window(4, "2024-03-11", "2024-03-11"));
            job.awaitMore(id, 3);

            for (List<String> ofFlink : List.of(List.<String>of(), List.of("-d"))) {
                isRefused(
                        job.underFlink(ofFlink, "rebuild", "--from", "2024-03-11", "--to", "2024-03-12"),
                        3,
                        "the stream may still change the partitions from 2024-03-12 on, and it is running");
                isRefused(job.underFlink(ofFlink, "rebuild", "--all"), 3, "rebuild up to 2024-03-11");
            }
            assertThat(running()).containsExactly(id);
            job.awaitMore(id, 3);
        }
        job.awaitPublished(id);
        assertThat(job.wasRestarted(id)).isFalse();
        assertThat(job.rows("select epoch, flink_job_id from tidemark.jobs")).containsExactly("1 " + id);
        assertThat(job.rows("select from_partition, publication is not null, error from tidemark.rebuilds order by 1"))
                .containsExactly("2024-03-10 t null", "2024-03-11 t null");
        assertThat(job.rows("select partition, status, resolved_by = (select publication from tidemark.rebuilds where"
                        + " from_partition = partition) from tidemark.late_ledger order by 1"))
                .containsExactly("2024-03-10 incorporated t", "2024-03-11 incorporated t");
        assertThat(job.target("2024-03-12")).isEqualTo(job.window(1, "2024-03-12"));

        job.deliver(sale("f", 64, "03-10T12:00:00", "03-13T23:00:00"));
        job.awaitPublished(id);
        assertThat(job.rows("select partition from tidemark.late_ledger where status = 'open'"))
                .containsExactly("2024-03-10");
        LocalCluster.ok(job.directly(
                "widen",
                "--flink",
                CLUSTER.flinkAddress().toString(),
                "--savepoint-dir",
                CLUSTER.folder("savepoints").toUri().toString(),
                "--lookback",
                "3"));
        String wider = job.rows("select flink_job_id from tidemark.jobs").get(0);
        assertThat(running()).containsExactly(wider);
        assertThat(job.target("2024-03-10")).isEqualTo(job.window(3, "2024-03-10"));
        assertThat(job.rows("select distinct status from tidemark.late_ledger")).containsExactly("incorporated");
        job.deliver(sale("g", 128, "03-11T12:00:00", "03-13T23:01:00"));
        job.awaitPublished(wider);
        assertThat(job.target("2024-03-10")).isEqualTo(job.window(3, "2024-03-10"));
    }

    /** Sales an hour apart, up to four days late. */
    private static Supplier<String> salesUpToFourDaysLate(long seed) {
        Random random = new Random(seed);
        AtomicInteger next = new AtomicInteger();
        return () -> {
            int hour = next.getAndIncrement();
            int seen = 24 * 6 + hour;
            int at = seen - (random.nextInt(3) == 0 ? random.nextInt(24 * 4) : 0);
            // Some are corrections of what came a while ago.
            String shop = random.nextInt(4) == 0 ? "north " + hour / 20 : "south " + hour;
            return sale(shop, 1 + random.nextInt(100), time(at), time(seen));
        };
    }

    private static String time(int hour) {
        return LocalDateTime.of(2024, 3, 1, 0, 0)
                .plusHours(hour)
                .format(DateTimeFormatter.ofPattern("MM-dd'T'HH:mm:ss"));
    }

    @Test
    void stoppedAndRestoredByHandWiderTheJobBringsInWhatCameTooLateAndCanBeNarrowedAgain() throws Exception {
        long seed = 4_000_011;
        System.out.println("seed " + seed);
        SalesJob job = SalesJob.named("widened-by-hand", CLUSTER);
        String id = job.submit();
        String wider;
        try (SalesJob.Live live = job.live(salesUpToFourDaysLate(seed))) {
            String narrow = id;
            job.await(
                    narrow,
                    "late changes",
                    () -> job.rows("select count(*) >= 5 and count(distinct partition) >= 2 from tidemark.late_ledger"
                                    + " where partition >= (select max(retained_from) from tidemark.publications)")
                            .equals(List.of("t")));
            wider = job.restore(job.stop(id), "--lookback", "4");
            job.await(
                    wider,
                    "a widening",
                    () -> !job.rows("select 1 from tidemark.publications where kind = 'widen'")
                            .isEmpty());
            job.awaitMore(wider, 5);
        }
        job.awaitPublished(wider);

        String from = Objects.requireNonNull(job.oracle(4).snapshot().completeFrom());
        assertThat(job.target(from)).isEqualTo(job.window(4, from));
        String widening = " (select publication from tidemark.publications where kind = 'widen')";
        assertThat(job.rows(
                        "select lookback, replaced_from is not null from tidemark.publications where kind = 'widen'"))
                .containsExactly("4 t");
        assertThat(job.rows("select distinct status, resolved_by =" + widening + " from tidemark.late_ledger"
                        + " where publication <" + widening + " and partition >= (select replaced_from from"
                        + " tidemark.publications where kind = 'widen')"))
                .containsExactly("incorporated t");

        String narrowAgain = job.stop(wider);
        List<String> before = job.rows("select t::text, ctid from shop.sales t order by 1");
        id = job.restore(narrowAgain);
        String partition = job.rows("select frontier_greatest::date - 3 from tidemark.publications order by publication"
                        + " desc limit 1")
                .get(0);
        String seen = job.rows("select to_char(frontier_greatest at time zone 'UTC', 'MM-DD\"T\"HH24:MI:SS') from"
                        + " tidemark.publications order by publication desc limit 1")
                .get(0);
        job.deliver(sale("late", 1, partition.substring(5) + "T12:00:00", seen));
        job.awaitPublished(id);
        assertThat(job.rows("select partition from tidemark.late_ledger where status = 'open' and record_id = 'late'"))
                .containsExactly(partition);
        assertThat(job.rows("select lookback from tidemark.publications order by publication desc limit 1"))
                .containsExactly("1");
        assertThat(job.rows("select count(*) from tidemark.publications where kind = 'widen'"))
                .containsExactly("1");
        assertThat(job.rows("select t::text, ctid from shop.sales t order by 1"))
                .isEqualTo(before);
    }

    @Test
    void whatCannotBeIsRefusedWithOneMessageAndTheStreamGoesOnUnderAnUntouchedTarget() throws Exception {
        SalesJob other = SalesJob.named("another-job", CLUSTER);
        String otherId = other.submit();
        other.deliver(sale("a", 1, "03-10T10:00:00", "03-10T10:00:01"));
        other.awaitPublished(otherId);
        String foreign = other.stop(otherId);

        SalesJob job = SalesJob.named("bad-use", CLUSTER);
        String id = job.submit();
        deliverFourDays(job, id);
        List<String> before = job.everything();
        String jobs = "select epoch, attempt, submission, flink_job_id from tidemark.jobs";
        List<String> writer = job.rows(jobs);

        String nowhere =
                CLUSTER.folder("savepoints").resolve("savepoint-nowhere").toString();
        for (String[] options : List.of(new String[] {}, new String[] {"--lookback", "3"})) {
            isRefused(job.underFlink(List.of("-d", "-s", nowhere), "run", options), 3, nowhere);
            isRefused(job.underFlink(List.of("-d", "-s", foreign), "run", options), 3, "another-job");
        }
        isRefused(
                job.underFlink(List.of("-d"), "widen", "--flink", "http://localhost:1", "--lookback", "3"),
                2,
                "start it directly");
        String nobody = "http://localhost:" + CLUSTER.freePortText();
        isRefused(job.directly("widen", "--flink", nobody, "--lookback", "3"), 3, nobody);
        isRefused(job.underFlink(List.of(), "rebuild"), 2, "say which partitions");
        isRefused(
                job.underFlink(List.of("-d"), "rebuild", "--from", "2024-03-10", "--to", "2024-03-10", "--dry-run"),
                2,
                "without -d");

        assertThat(running()).containsExactly(id);
        assertThat(job.everything()).isEqualTo(before);
        assertThat(job.rows(jobs)).isEqualTo(writer);
        job.deliver(sale("h", 1, "03-13T20:00:00", "03-13T20:00:00"));
        job.awaitPublished(id);
        assertThat(job.wasRestarted(id)).isFalse();
    }
}
