package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static dev.tidemark.publish.jdbc.WarehouseFixture.rejected;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.database.Connections;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.publish.Warehouse.Outcome;
import dev.tidemark.publish.Warehouse.Seat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PublishingTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPublicationMakesCellsLedgerRejectedAndCountsVisibleTogether(boolean revisions) throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "together-" + revisions, revisions)) {
            it.init();
            Seat seat = it.register("s1");

            Outcome first = it.publish(
                    seat,
                    1,
                    it.cell("10", "a", 1, 2, "3.50", 1.25),
                    it.cell("09", "a", 1, 1, "-0.05", null),
                    it.late("t-0", 3, "01", "{\"note\": \"tab\\tquote\\\"\"}"),
                    rejected("t-0", 4),
                    judged(3, 1),
                    cut("", "t-0", 0, 5, "10", 1));

            assertThat(first).isEqualTo(Outcome.PUBLISHED);
            assertThat(it.target())
                    .containsExactly(
                            "2024-03-09|a|1|1|-0.05|null|1|1|ON_TIME|1", "2024-03-10|a|1|2|3.50|1.25|1|2|EARLY|1");
            assertThat(it.rows("select publication, kind, frontier_least, closed_before, ended_before, complete_from,"
                            + " records_read, applied, late, rejected, cells_replaced, cells_removed, partitions,"
                            + " max_lateness_ms, positions, logs, epoch, checkpoint, started_at <= published_at"
                            + " from tidemark.publications where job = '" + it.plan.job() + "'"))
                    .containsExactly(
                            "1|stream|2024-03-10 12:00:00+00|2024-03-08|2024-03-10|2024-03-08|5|3|1|1|2|0|2|1234|"
                                    + "{\"t-0\": 5}|{\"\": {\"split\": \"t-0\", \"offset\": 5, \"frontier\": 1710072000000000}}|1|1|t");
            assertThat(it.rows("select partition, cells, members, ended_by, closed_by, open_late"
                            + " from tidemark.partitions where job = '" + it.plan.job() + "' order by 1"))
                    .containsExactly("2024-03-01|0|0|1|1|1", "2024-03-09|1|1|1|null|0", "2024-03-10|1|2|null|null|0");
            assertThat(it.rows(
                            "select split, \"offset\", half, record_id, op, partition, key, lateness_ms, age, frontier,"
                                    + " open_from, reason, withheld, payload ->> 'note', publication, status"
                                    + " from tidemark.late_ledger where job = '" + it.plan.job() + "'"))
                    .containsExactly(
                            "t-0|3|whole|r3|upsert|2024-03-01|{\"shop\": \"late\", \"product\": 3}|727600000|9|"
                                    + "2024-03-10 00:00:00+00|2024-03-08|state-expired|f|tab\tquote\"|1|open");
            assertThat(it.rows("select \"offset\", reason, error, payload, payload_length, publication"
                            + " from tidemark.rejected_changes where job = '" + it.plan.job() + "'"))
                    .containsExactly("4|undecodable|bad \uFFFD \"byte\"|\\x00ff0a5c|4|1");
            assertThat(it.rows("select observed_day, arrival, age, bucket, changes, late, maximum"
                            + " from tidemark.lateness where job = '" + it.plan.job() + "'"))
                    .containsExactly("2022-01-08|first|0|1247|4|1|1234");
            assertThat(it.staged()).isZero();
            assertThat(JdbcWarehouse.publishedPositions(POSTGRES.connections(), it.plan)
                            .read()
                            .logs())
                    .containsExactly(new LogCut("", "t-0", 5, "t-0", 5, 1_710_072_000_000_000L));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void onlyWhatDiffersIsWrittenAndAReturningCellGoesOnCounting(boolean revisions) throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "revisions-" + revisions, revisions)) {
            it.init();
            Seat seat = it.register("s1");
            it.publish(
                    seat,
                    1,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    it.cell("10", "b", 1, 1, "1.00", Double.NaN),
                    judged(2, 0),
                    cut(0, 2, "10"));
            it.publish(
                    seat,
                    2,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    it.cell("10", "b", 1, 2, "1.00", Double.NaN),
                    it.cell("11", "c", 1, 1, "1.00", null),
                    judged(3, 0),
                    cut(2, 5, "11"));
            it.publish(seat, 3, it.removed("10", "b", 1), it.removed("10", "x", 1), judged(1, 0), cut(5, 6, "11"));
            assertThat(it.target())
                    .containsExactly("2024-03-10|a|1|1|1.00|1|1|1|EARLY|1", "2024-03-11|c|1|1|1.00|null|1|1|EARLY|2");
            it.publish(seat, 4, it.cell("10", "b", 1, 1, "9.00", 0.0), judged(1, 0), cut(6, 7, "11"));

            assertThat(it.target())
                    .containsExactly(
                            "2024-03-10|a|1|1|1.00|1|1|1|EARLY|1",
                            "2024-03-10|b|1|1|9.00|0|4|1|LATE|4",
                            "2024-03-11|c|1|1|1.00|null|1|1|EARLY|2");
            assertThat(it.rows(
                            "select publication, cells_replaced, cells_removed from tidemark.publications where job = '"
                                    + it.plan.job() + "' order by 1"))
                    .containsExactly("1|2|0", "2|2|0", "3|0|1", "4|1|0");
            assertThat(it.rows("select partition, cells, members, ended_by from tidemark.partitions where job = '"
                            + it.plan.job() + "' order by 1"))
                    .containsExactly("2024-03-10|2|2|2", "2024-03-11|1|1|null");
            if (revisions) {
                assertThat(it.rows("select shop, _revision, _removed, _pane, net from "
                                + new TargetNames(it.plan).revisions() + " order by 1, 2"))
                        .containsExactly(
                                "a|1|f|EARLY|1.00",
                                "b|1|f|EARLY|1.00",
                                "b|2|f|ON_TIME|1.00",
                                "b|3|t|LATE|null",
                                "b|4|f|LATE|9.00",
                                "c|1|f|EARLY|1.00");
            }
        }
    }

    @Test
    void rowsThatWereRemovedOrPutBackByHandUseNoRevisionNumberTwice() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "by-hand", true)) {
            it.init();
            Seat seat = it.register("s1");
            it.publish(
                    seat,
                    1,
                    it.cell("10", "a", 1, 1, "1.00", 1.0),
                    it.cell("10", "b", 1, 1, "1.00", 1.0),
                    judged(2, 0),
                    cut(0, 2, "10"));
            it.publish(seat, 2, it.cell("10", "b", 1, 2, "2.00", 1.0), judged(1, 0), cut(2, 3, "10"));
            String table = new TargetNames(it.plan).table();
            it.execute("delete from " + table + " where shop = 'a'");
            it.execute("update " + table + " set _revision = 1, net = 1.00 where shop = 'b'");
            it.publish(
                    seat,
                    3,
                    it.cell("10", "a", 1, 3, "3.00", 1.0),
                    it.cell("10", "b", 1, 3, "3.00", 1.0),
                    judged(2, 0),
                    cut(3, 5, "10"));

            assertThat(it.rows("select shop, _revision, net from " + table + " order by 1"))
                    .containsExactly("a|2|3.00", "b|3|3.00");
            assertThat(it.rows("select shop, _revision, net from " + new TargetNames(it.plan).revisions()
                            + " order by 1, 2"))
                    .containsExactly("a|1|1.00", "a|2|3.00", "b|1|1.00", "b|2|2.00", "b|3|3.00");
        }
    }

    @Test
    void aCheckpointInWhichNothingWasReadPublishesNothing() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "nothing", false)) {
            it.init();
            Seat seat = it.register("s1");
            it.publish(seat, 1, it.cell("10", "a", 1, 1, "1.00", 1.0), judged(1, 0), cut(0, 1, "10"));

            assertThat(it.publish(seat, 2, cut(1, 1, "10"))).isEqualTo(Outcome.NOTHING_NEW);
            assertThat(it.publish(seat, 3, it.cell("10", "a", 1, 1, "1.00", 1.0), cut(1, 1, "10")))
                    .isEqualTo(Outcome.NOTHING_NEW);
            assertThat(it.number("select count(*) from tidemark.publications where job = 'nothing'"))
                    .isEqualTo(1);
            assertThat(it.staged()).isZero();
        }
    }

    @Test
    void partsOfSeveralStagesAreOnePublication() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "several", true)) {
            it.init();
            Seat seat = it.register("s1");
            StagedPart cells = it.stage("s1", 1, it.cell("10", "a", 1, 1, "1.00", 1.0));
            StagedPart others = it.stage("s1", 1, it.cell("10", "b", 1, 1, "1.00", 1.0), cut("x", "x", 0, 1, "10", 0));
            StagedPart counts = it.stage("s1", 1, judged(2, 0));
            StagedPart reading = it.stage("s1", 1, cut("y", "y", 0, 1, "11", 0));
            StagedPart idle = it.stage("s1", 1);

            assertThat(it.publish(seat, cells, others, counts, reading, idle)).isEqualTo(Outcome.PUBLISHED);

            assertThat(it.target()).hasSize(2);
            assertThat(it.rows("select positions, closed_before, complete_from from tidemark.publications"
                            + " where job = 'several'"))
                    .containsExactly("{\"x\": 1, \"y\": 1}|2024-03-08|2024-03-09");
            assertThat(it.staged()).isZero();
        }
    }

    @Test
    void aSubmissionThatWasRestoredWhileCatchingUpTakesWhatWasCarried() throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "bridged", true)) {
            it.init();
            Seat first = it.register("s1");
            it.publish(
                    first,
                    it.stage(
                            "s1",
                            1,
                            it.cell("10", "a", 1, 2, "2.00", 1.0),
                            judged(2, 0),
                            cut("x", "x", 0, 1, "10", 0),
                            cut("y", "y", 0, 1, "10", 0)));
            Seat second = it.register("s2");
            StagedPart carried = it.stage(
                    "s2",
                    1,
                    it.cell("11", "a", 1, 1, "1.00", 1.0),
                    it.cell("11", "b", 1, 1, "1.00", 1.0),
                    judged(2, 0),
                    cut("x", "x", 1, 3, "11", 0));
            assertThat(it.publish(second, carried)).isEqualTo(Outcome.CARRIED_FORWARD);
            Seat third = it.register("s3");

            assertThat(it.publish(
                            third,
                            2,
                            it.cell("11", "b", 1, 3, "3.00", 1.0),
                            judged(2, 0),
                            cut("x", "x", 3, 4, "11", 0),
                            cut("y", "y", 1, 2, "11", 0)))
                    .isEqualTo(Outcome.PUBLISHED);

            assertThat(it.target())
                    .containsExactly(
                            "2024-03-10|a|1|2|2.00|1|1|2|EARLY|1",
                            "2024-03-11|a|1|1|1.00|1|1|1|EARLY|2",
                            "2024-03-11|b|1|3|3.00|1|1|3|EARLY|2");
            assertThat(it.rows("select records_read, applied, positions from tidemark.publications"
                            + " where job = 'bridged' order by publication"))
                    .containsExactly("2|2|{\"x\": 1, \"y\": 1}", "4|4|{\"x\": 4, \"y\": 2}");
            assertThat(it.staged()).isZero();
        }
    }

    @Test
    void factoriesTravelToWhereTheyAreUsed() throws Exception {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "factories", false)) {
            it.init();
            ConnectionSettings settings =
                    ConnectionSettings.of(POSTGRES.settings().url() + "?user=postgres");
            Connections connections = Connections.to(settings);
            try (Warehouse warehouse = travelled(JdbcWarehouse.factory(connections, it.plan))
                            .open();
                    Stage stage =
                            travelled(JdbcStage.factory(connections, it.plan)).open("s1", 3)) {
                Seat seat = warehouse.register("s1", "f");
                stage.add(it.cell("10", "a", 1, 1, "1.00", 1.0));
                stage.add(judged(1, 0));
                stage.add(cut(0, 1, "10"));
                assertThat(warehouse.publish(seat, List.of(stage.seal(1)))).isEqualTo(Outcome.PUBLISHED);
            }
            assertThat(travelled(JdbcWarehouse.publishedPositions(connections, it.plan))
                            .read()
                            .logs())
                    .hasSize(1);
        }
    }

    private static <T> T travelled(T value) throws IOException, ClassNotFoundException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            @SuppressWarnings("unchecked")
            T copy = (T) in.readObject();
            return copy;
        }
    }
}
