package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.day;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.database.Connections;
import dev.tidemark.kit.CutConnections;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PartitionSpan;
import dev.tidemark.publish.Rebuild;
import dev.tidemark.publish.Rebuilds;
import dev.tidemark.publish.RefusedException;
import dev.tidemark.publish.Replacement;
import dev.tidemark.publish.Scan;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Warehouse.Seat;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The one transaction of a rebuild: all of it or nothing, once, whatever happens on the way. */
final class ReplacingTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** The tenth and eleventh are closed; of the tenth one change was late. */
    private static void publish(WarehouseFixture it) {
        Seat seat = it.register("s1");
        it.publish(
                seat,
                1,
                it.cell("10", "a", 1, 1, "1.00", 1.0),
                it.cell("10", "b", 1, 1, "1.00", 2.0),
                it.cell("14", "b", 1, 1, "2.00", 2.0),
                it.late("t-0", 4, "10", "{}"),
                judged(4, 1),
                cut(0, 5, "14"));
    }

    private static Rebuild rebuild(WarehouseFixture it) {
        try (Rebuilds rebuilds = new JdbcRebuilds(it.plan, POSTGRES.connections(), PATIENCE)) {
            Rebuilds.Standings standings = rebuilds.look(day("31"));
            Rebuild rebuild = new Rebuild(
                    UUID.randomUUID().toString(),
                    Rebuild.Mode.RANGE,
                    null,
                    new PartitionSpan(day("10"), day("11")),
                    Standing.NOWHERE,
                    standings.publication(),
                    standings.stream().publication(),
                    standings.stream().logs(),
                    true,
                    "x",
                    null,
                    List.of(),
                    false);
            rebuilds.begin(rebuild);
            return rebuild;
        }
    }

    private static StagedPart stage(WarehouseFixture it, Rebuild rebuild) {
        return it.stage(rebuild.id(), 1, it.cell("10", "a", 1, 2, "3.00", 1.0), it.cell("11", "c", 1, 1, "1.00", 1.0));
    }

    private static void replace(WarehouseFixture it, Connections connections, Rebuild rebuild, StagedPart... parts) {
        try (Replacement replacement =
                new JdbcReplacement(it.plan, rebuild, connections, PATIENCE, WarehouseFixture.QUICK)) {
            replacement.replace(List.of(parts), scanned(5, 5));
        }
    }

    private static List<Scan> scanned(long records, long nextOffset) {
        LogCut log = new LogCut("", "t-0", nextOffset, "t-0", nextOffset, LogCut.UNKNOWN);
        return List.of(new Scan(new Cut(records, 0, List.of(log)), 100 * records));
    }

    private static List<String> everything(WarehouseFixture it) {
        List<String> all = it.everything();
        all.addAll(it.rows("select status, resolved_by from tidemark.late_ledger where job = '" + it.plan.job() + "'"));
        all.addAll(it.rows("select publication, rows_scanned, rows_written, rows_new, rows_removed, partitions, bytes,"
                + " incorporated, error from tidemark.rebuilds where job = '" + it.plan.job() + "'"));
        return all;
    }

    @ParameterizedTest
    @EnumSource(CutConnections.Moment.class)
    void cutAtEachStatementOfTheTransactionItIsDoneOnce(CutConnections.Moment moment) throws SQLException {
        String name = moment.name().toLowerCase(Locale.ROOT);
        List<String> expected;
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "replaced-" + name, true)) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            replace(it, POSTGRES.connections(), rebuild, stage(it, rebuild));
            expected = everything(it);
            assertThat(it.target())
                    .containsExactly(
                            "2024-03-10|a|1|2|3.00|1|2|2|REBUILT|2",
                            "2024-03-11|c|1|1|1.00|1|1|1|REBUILT|2",
                            "2024-03-14|b|1|1|2.00|2|1|1|EARLY|1");
            assertThat(expected).contains("incorporated|2", "2|5|2|1|1|2|500|1|null");
        }
        boolean cut = true;
        int cuts = 0;
        for (int at = 1; cut; at++) {
            CutConnections connections = new CutConnections(POSTGRES, at, moment);
            try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "replaced-" + name + "-" + at, true)) {
                it.init();
                publish(it);
                Rebuild rebuild = rebuild(it);
                StagedPart orphan = stage(it, rebuild);
                StagedPart part = stage(it, rebuild);

                replace(it, connections, rebuild, part);

                assertThat(everything(it)).as("cut at %d", at).isEqualTo(expected);
                assertThat(it.staged())
                        .as("what an attempt that failed had staged, %s", orphan.part())
                        .isZero();
            }
            cut = connections.wasCut();
            cuts = at;
        }
        assertThat(cuts).isGreaterThan(20);
    }

    @Test
    void killedAfterTheCommitItIsNotDoneAgain() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "committed", false)) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            StagedPart part = stage(it, rebuild);
            replace(it, POSTGRES.connections(), rebuild, part);
            List<String> before = everything(it);

            replace(it, POSTGRES.connections(), rebuild, part);

            assertThat(everything(it)).isEqualTo(before);
        }
    }

    /** Without a table of revisions too the numbers of a cell that went go on. */
    @Test
    void aCellThatReturnsGoesOnCounting() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "returning", false)) {
            it.init();
            publish(it);
            Rebuild gone = rebuild(it);
            replace(it, POSTGRES.connections(), gone, stage(it, gone));
            Rebuild back = rebuild(it);
            StagedPart part = it.stage(back.id(), 1, it.cell("10", "b", 1, 1, "1.00", 2.0));

            replace(it, POSTGRES.connections(), back, part);

            assertThat(it.target())
                    .containsExactly("2024-03-10|b|1|1|1.00|2|3|1|REBUILT|3", "2024-03-14|b|1|1|2.00|2|1|1|EARLY|1");
        }
    }

    @Test
    void aCellThatIsComputedTwiceIsRefused() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "twice", true)) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            List<String> before = everything(it);

            assertThatThrownBy(
                            () -> replace(it, POSTGRES.connections(), rebuild, stage(it, rebuild), stage(it, rebuild)))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("the cell (2024-03-10, a, 1) of the job twice was computed twice");

            assertThat(everything(it)).isEqualTo(before);
        }
    }

    @Test
    void rowsThatSomebodyTookOutOfTheStageAreMissed() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "stolen", true)) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            StagedPart part = stage(it, rebuild);
            it.execute("delete from tidemark_staging.stolen where shop = 'c'");

            assertThatThrownBy(() -> replace(it, POSTGRES.connections(), rebuild, part))
                    .hasMessageContaining("of 2 cells staged for the job stolen the warehouse holds 1");
        }
    }

    @Test
    void dismissedRowsStayDismissed() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "dismissed", true)) {
            it.init();
            publish(it);
            it.execute("update tidemark.late_ledger set status = 'dismissed' where job = 'dismissed'");
            Rebuild rebuild = rebuild(it);

            replace(it, POSTGRES.connections(), rebuild, stage(it, rebuild));

            assertThat(it.rows("select status from tidemark.late_ledger where job = 'dismissed'"))
                    .containsExactly("dismissed");
        }
    }

    @Test
    void aLockedTableIsToldAfterAWhileAndNothingIsChanged() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "locked", true);
                Connection other = POSTGRES.connect();
                Statement statement = other.createStatement()) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            StagedPart part = stage(it, rebuild);
            List<String> before = everything(it);
            other.setAutoCommit(false);
            statement.execute("lock table " + it.table + " in share mode");
            try (Replacement replacement = new JdbcReplacement(
                    it.plan, rebuild, POSTGRES.connections(), Duration.ofMillis(50), WarehouseFixture.QUICK)) {

                assertThatThrownBy(() -> replacement.replace(List.of(part), scanned(5, 5)))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("another transaction holds the lock")
                        .hasMessageEndingWith("nothing is changed");
            }
            other.rollback();
            assertThat(everything(it)).isEqualTo(before);

            replace(it, POSTGRES.connections(), rebuild, part);
            assertThat(it.target()).hasSize(3);
        }
    }

    @Test
    void aHistoryThatHasLostRecordsIsRefused() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "lost", true)) {
            it.init();
            publish(it);
            Rebuild rebuild = rebuild(it);
            StagedPart part = stage(it, rebuild);
            try (Replacement replacement =
                    new JdbcReplacement(it.plan, rebuild, POSTGRES.connections(), PATIENCE, WarehouseFixture.QUICK)) {
                assertThatThrownBy(() -> replacement.replace(List.of(part), scanned(4, 5)))
                        .hasMessageContaining("the stream has read 5, and 4 are left before the same positions");
                assertThatThrownBy(() -> replacement.replace(List.of(part), scanned(4, 4)))
                        .hasMessageContaining("the changes before t-0 @ 5 are published, but it ends at t-0 @ 4");
            }
        }
    }
}
