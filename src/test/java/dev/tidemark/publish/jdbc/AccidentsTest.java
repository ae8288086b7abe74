package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static dev.tidemark.publish.jdbc.WarehouseFixture.rejected;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.database.Connections;
import dev.tidemark.kit.CutConnections;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.FencedException;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Warehouse.Outcome;
import dev.tidemark.publish.Warehouse.Seat;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever happens on the way, the warehouse ends as if nothing had. */
final class AccidentsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    /** A story of three checkpoints that touches every statement. */
    private static void tell(WarehouseFixture it, WarehouseFixture undisturbed) {
        Seat seat = undisturbed.register("s1");
        undisturbed.publish(
                seat,
                1,
                it.cell("10", "a", 1, 1, "1.00", 1.0),
                it.cell("10", "b", 1, 1, "1.00", 2.0),
                it.cell("09", "b", 1, 1, "1.00", 2.0),
                judged(3, 0),
                cut(0, 3, "10"));
        StagedPart part = it.stage(
                "s1",
                2,
                it.cell("10", "a", 1, 2, "2.00", 1.0),
                it.removed("10", "b", 1),
                it.cell("14", "c", 1, 1, "3.00", 2.0),
                it.late("t-0", 4, "01", "{}"),
                rejected("t-0", 5),
                judged(3, 1),
                cut("", "t-0", 3, 8, "14", 1));
        it.publish(seat, part);
        undisturbed.publish(seat, 3, it.cell("14", "b", 1, 3, "7.00", 2.0), judged(1, 0), cut(8, 9, "14"));
    }

    @ParameterizedTest
    @EnumSource(CutConnections.Moment.class)
    void cutAtEachStatementOfStagingAndPublishing(CutConnections.Moment moment) throws SQLException {
        List<String> expected;
        try (WarehouseFixture it = new WarehouseFixture(
                POSTGRES, "undisturbed-" + moment.name().toLowerCase(java.util.Locale.ROOT), true)) {
            it.init();
            tell(it, it);
            expected = it.everything();
        }
        boolean cut = true;
        int cuts = 0;
        for (int at = 1; cut; at++) {
            String job = "cut-" + moment.name().toLowerCase(java.util.Locale.ROOT) + "-" + at;
            CutConnections connections = new CutConnections(POSTGRES, at, moment);
            try (WarehouseFixture undisturbed = new WarehouseFixture(POSTGRES, job, true);
                    WarehouseFixture it = new WarehouseFixture(POSTGRES, connections, undisturbed.plan)) {
                it.init();
                tell(it, undisturbed);
                assertThat(it.everything()).as("cut at %d", at).isEqualTo(expected);
                assertThat(it.staged()).isZero();
            }
            cut = connections.wasCut();
            cuts = at;
        }
        assertThat(cuts).isGreaterThan(20);
    }

    @Test
    void killedAfterCommitBeforeAcknowledgement() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "acknowledged", true)) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            assertThat(it.publish(seat, part)).isEqualTo(Outcome.PUBLISHED);
            List<String> published = it.everything();

            Seat restarted = it.register("s1");
            assertThat(it.publish(restarted, part)).isEqualTo(Outcome.ALREADY_PUBLISHED);
            Seat restored = it.register("s2");
            assertThat(it.publish(restored, part)).isEqualTo(Outcome.ALREADY_PUBLISHED);

            assertThat(it.everything()).isEqualTo(published);
        }
    }

    @Test
    void killedBeforeCommitAndCommittedByTheNextAttempt() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "before-commit", true)) {
            it.init();
            it.register("s1");
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));

            assertThat(it.publish(it.register("s1"), part)).isEqualTo(Outcome.PUBLISHED);
            assertThat(it.target()).hasSize(1);
        }
    }

    @Test
    void zombiesAreFencedAndToldWhoTookOver() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "zombie", false)) {
            it.init();
            Seat first = it.register("s1");
            Seat second = it.register("s1");
            assertThat(second).isEqualTo(new Seat("s1", 1, 2));
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            assertThatThrownBy(() -> it.publish(first, part))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("attempt 2 of the submission s1");

            Seat newer = it.register("s2");
            assertThat(newer).isEqualTo(new Seat("s2", 2, 1));
            assertThatThrownBy(() -> it.publish(second, part))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("the submission s2 of the job zombie (epoch 2, Flink job flink-s2");
            assertThatThrownBy(() -> it.register("s1"))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("s2");
            assertThat(it.target()).isEmpty();
        }
    }

    @Test
    void orphansOfAnOlderEpochGoWithItsFirstPublication() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "orphans", false)) {
            it.init();
            it.register("s1");
            it.stage("s1", 1, it.cell("10", "a", 1, 1, "9.99", 1.0), judged(1, 0), cut(0, 1, "10"));
            StagedPart ahead = it.stage("s1", 2, it.cell("10", "a", 1, 1, "9.99", 1.0), judged(4, 0), cut(1, 5, "10"));
            Seat seat = it.register("s2");
            it.stage("s2", 1, it.cell("10", "a", 1, 1, "7.77", 1.0), judged(1, 0), cut(0, 1, "10"));

            it.publish(seat, 2, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(2, 0), cut(0, 2, "10"));

            assertThat(it.target()).containsExactly("2024-03-10|a|1|1|1.00|1|1|1|EARLY|1");
            assertThat(it.rows("select part from tidemark.staged_parts where job = 'orphans'"))
                    .containsExactly(ahead.part());
            it.publish(seat, 3, judged(4, 0), cut(2, 6, "10"));
            assertThat(it.staged()).isZero();
            assertThat(it.publish(seat, ahead)).isEqualTo(Outcome.ALREADY_PUBLISHED);
        }
    }

    @Test
    void stagedRowsThatAreGoneAndNotPublishedAreAnErrorWithAWayOut() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "gone", false)) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            StagedPart thinned = it.stage(
                    "s1",
                    1,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    it.cell("10", "b", 1, 1, "1.00", 1.0),
                    judged(1, 0),
                    cut(0, 1, "10"));
            it.execute("delete from tidemark.staged_parts where part = '" + part.part() + "'");
            it.execute("delete from tidemark_staging.gone where shop = 'b'");

            assertThatThrownBy(() -> it.publish(seat, part))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("are gone")
                    .hasMessageContaining("start from a savepoint");
            assertThatThrownBy(() -> it.publish(seat, thinned))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("of 2 cells staged for the job gone the warehouse holds 1");
        }
    }

    @Test
    void anOlderSavepointCatchesUpWithoutCountingTwice() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "catching-up", true)) {
            it.init();
            Seat seat = it.register("s1");
            it.publish(seat, 1, it.cell("10", "a", 1, 2, "2.00", 1.0), judged(4, 0), cut(0, 4, "10"));
            List<String> published = it.everything();

            Seat restored = it.register("s2");
            StagedPart replaying = it.stage(
                    "s2",
                    1,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    new Part.Read(new dev.tidemark.publish.Cut(
                            0,
                            0,
                            List.of(new dev.tidemark.publish.LogCut(
                                    "", "t-0", 2, "t-0", 4, WarehouseFixture.day("10") * WarehouseFixture.DAY)))));
            assertThat(it.publish(restored, replaying)).isEqualTo(Outcome.CARRIED_FORWARD);
            assertThat(it.publish(restored, replaying)).isEqualTo(Outcome.CARRIED_FORWARD);
            assertThat(it.everything()).isEqualTo(published);

            assertThat(it.publish(restored, 2, it.cell("10", "a", 1, 2, "2.00", 1.0), cut(4, 4, "10")))
                    .isEqualTo(Outcome.NOTHING_NEW);
            assertThat(it.everything()).isEqualTo(published);
            assertThat(it.publish(restored, 3, it.cell("10", "a", 1, 3, "3.00", 1.0), judged(1, 0), cut(4, 5, "10")))
                    .isEqualTo(Outcome.PUBLISHED);
            assertThat(it.target()).containsExactly("2024-03-10|a|1|3|3.00|1|2|3|EARLY|2");
            assertThat(it.staged()).isZero();
        }
    }

    @Test
    void stagedCellsOfClosedPartitionsAreLeftAlone() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "stable-prefix", false)) {
            it.init();
            Seat seat = it.register("s1");
            it.publish(seat, 1, it.cell("05", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "05"));
            it.publish(seat, 2, it.cell("12", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(1, 2, "12"));

            it.publish(
                    seat,
                    3,
                    it.cell("05", "a", 1, 9, "9.00", 1.0),
                    it.cell("10", "a", 1, 9, "9.00", 1.0),
                    judged(1, 0),
                    cut(2, 3, "12"));

            assertThat(it.target())
                    .containsExactly(
                            "2024-03-05|a|1|1|1.00|1|1|1|EARLY|1",
                            "2024-03-10|a|1|9|9.00|1|1|9|LATE|3",
                            "2024-03-12|a|1|1|1.00|1|1|1|EARLY|2");
            assertThat(it.rows("select partition, ended_by, closed_by from tidemark.partitions"
                            + " where job = 'stable-prefix' order by 1"))
                    .containsExactly("2024-03-05|2|2", "2024-03-10|2|null", "2024-03-12|null|null");
        }
    }

    @Test
    void aDeadlockIsTriedAgain() throws Exception {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "deadlock", false)) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            try (Connection analyst = POSTGRES.connect();
                    Statement statement = analyst.createStatement()) {
                statement.execute("set deadlock_timeout = '20s'");
                analyst.setAutoCommit(false);
                statement.execute("lock table " + it.table + " in access exclusive mode");
                CompletableFuture<Outcome> published = CompletableFuture.supplyAsync(() -> it.publish(seat, part));
                awaitBlocked(it);
                statement.execute("select 1 from tidemark.jobs where job = 'deadlock' for update");
                analyst.commit();
                assertThat(published.get(20, TimeUnit.SECONDS)).isEqualTo(Outcome.PUBLISHED);
            }
            assertThat(it.target()).hasSize(1);
        }
    }

    @Test
    void aLockThatIsHeldTooLongIsAClearErrorAndChangesNothing() throws SQLException {
        Connections impatient = session -> POSTGRES.connections().open(session.waitingFor(Duration.ofMillis(50)));
        try (WarehouseFixture it =
                new WarehouseFixture(POSTGRES, impatient, WarehouseFixture.plan("lock-timeout", true))) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart part = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));
            try (Connection analyst = POSTGRES.connect();
                    Statement statement = analyst.createStatement()) {
                analyst.setAutoCommit(false);
                statement.execute("lock table " + it.table + " in share mode");
                assertThatThrownBy(() -> it.publish(seat, part))
                        .isInstanceOf(WarehouseException.class)
                        .hasMessageContaining("SQLSTATE 55P03, after 4 tries")
                        .hasMessageContaining("pg_locks");
            }
            assertThat(it.rows("select 1 from tidemark.publications where job = 'lock-timeout'"))
                    .isEmpty();
            assertThat(it.publish(seat, part)).isEqualTo(Outcome.PUBLISHED);
        }
    }

    @Test
    void aTargetThatLostAColumnIsAClearErrorAndChangesNothing() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "dropped", true)) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart part = it.stage(
                    "s1",
                    1,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    it.late("t-0", 1, "01", "{}"),
                    judged(1, 1),
                    cut(0, 2, "10"));
            it.execute("alter table " + it.table + " drop column net");

            assertThatThrownBy(() -> it.publish(seat, part))
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("net")
                    .hasMessageContaining("run `init` again");
            assertThat(it.rows("select 1 from tidemark.late_ledger where job = 'dropped'"))
                    .isEmpty();
            assertThatThrownBy(it::init)
                    .isInstanceOf(WarehouseException.class)
                    .hasMessageContaining("column net numeric(38,2) is missing");
            it.execute("delete from tidemark.staged_late");
        }
    }

    @Test
    void aDatabaseThatIsStartingUpIsWaitedFor() throws SQLException {
        AtomicInteger refused = new AtomicInteger();
        Connections restarting = session -> {
            if (refused.incrementAndGet() <= 3) {
                throw new SQLException("the database system is starting up", "57P03");
            }
            return POSTGRES.connections().open(session);
        };
        try (WarehouseFixture it =
                new WarehouseFixture(POSTGRES, restarting, WarehouseFixture.plan("restarting", true))) {
            it.init();
            assertThat(it.register("s1")).isEqualTo(new Seat("s1", 1, 1));
            assertThat(refused).hasValue(4);
        }
    }

    @Test
    void aStageThatFailedAfterSendingRowsIsEmptyAndCanBeUsedAgain() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "sent", false);
                JdbcStage stage = it.stage("s1")) {
            it.init();
            Seat seat = it.register("s1");
            addMany(it, stage, 60_000);
            it.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity"
                    + " where application_name = 'tidemark stage sent 0'");
            assertThatThrownBy(() -> stage.seal(1)).isInstanceOf(WarehouseException.class);

            addMany(it, stage, 60_000);
            stage.add(judged(60_000, 0));
            stage.add(cut(0, 60_000, "10"));
            StagedPart part = stage.seal(2);
            assertThat(it.publish(seat, part)).isEqualTo(Outcome.PUBLISHED);
            assertThat(it.number("select count(*) from " + it.table)).isEqualTo(60_000);
            assertThat(it.staged()).isZero();
        }
    }

    private static void addMany(WarehouseFixture it, JdbcStage stage, int cells) {
        for (int i = 0; i < cells; i++) {
            stage.add(it.cell("10", "shop-with-a-long-name-" + i, i, 1, "1.00", 1.0));
        }
    }

    @Test
    void readersNeverSeeAMixture() throws Exception {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "readers", true)) {
            it.init();
            Seat seat = it.register("s1");
            AtomicBoolean done = new AtomicBoolean();
            CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> read(it, done));
            long cells = 200;
            for (int checkpoint = 1; checkpoint <= 30; checkpoint++) {
                Part[] parts = new Part[(int) cells + 2];
                for (int i = 0; i < cells; i++) {
                    parts[i] = it.cell("1" + (2 + i % 3), "a", i, checkpoint, "1.00", 1.0);
                }
                parts[(int) cells] = judged(cells, 0);
                parts[(int) cells + 1] = cut((checkpoint - 1) * cells, checkpoint * cells, "14");
                it.publish(seat, checkpoint, parts);
            }
            done.set(true);
            assertThat(reader.get(20, TimeUnit.SECONDS)).isGreaterThan(10);
        }
    }

    /** Each change adds a member to one cell, so that members, counts and positions always agree. */
    private static int read(WarehouseFixture it, AtomicBoolean done) {
        int reads = 0;
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            while (!done.get()) {
                try (var row = statement.executeQuery("select coalesce((select sum(_members) from " + it.table
                        + "), 0),"
                        + " coalesce((select sum(applied) from tidemark.publications where job = 'readers'), 0),"
                        + " coalesce((select sum(members) from tidemark.partitions where job = 'readers'), 0),"
                        + " coalesce((select max((positions ->> 't-0')::bigint) from tidemark.publications"
                        + " where job = 'readers'), 0), (select count(distinct _publication) from " + it.table + ")")) {
                    row.next();
                    assertThat(List.of(row.getLong(2), row.getLong(3), row.getLong(4)))
                            .containsOnly(row.getLong(1));
                    assertThat(row.getLong(5)).isLessThanOrEqualTo(1);
                }
                reads++;
            }
            return reads;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void awaitBlocked(WarehouseFixture it) throws InterruptedException, ExecutionException {
        while (it.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name ="
                        + " 'tidemark commit " + it.plan.job() + "'")
                == 0) {
            Thread.sleep(5);
        }
    }
}
