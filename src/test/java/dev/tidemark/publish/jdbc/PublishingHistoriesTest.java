package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.kit.CutConnections;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Warehouse.Seat;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Generated histories against a model that keeps the target in a map. */
final class PublishingHistoriesTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    /** What a cell should be: its last revision, and what it shows under it; lines 0: it is gone. */
    private record Row(int revision, long lines, String net, long publication) {}

    @ParameterizedTest
    @CsvSource({"1,true", "2,false", "3,true", "4,false"})
    void theTargetEqualsTheModelAfterEachPublicationHoweverOftenConnectionsAreCut(long seed, boolean revisions)
            throws SQLException {
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        String job = "history-" + seed;
        Map<String, Row> model = new TreeMap<>();
        long[] last = {0};
        long position = 0;
        try (WarehouseFixture calm = new WarehouseFixture(POSTGRES, job, revisions)) {
            calm.init();
            Seat seat = calm.register("s1");
            for (int checkpoint = 1; checkpoint <= 40; checkpoint++) {
                CutConnections connections = new CutConnections(
                        POSTGRES,
                        1 + random.nextInt(40),
                        random.nextBoolean() ? CutConnections.Moment.BEFORE : CutConnections.Moment.AFTER);
                try (WarehouseFixture it = new WarehouseFixture(POSTGRES, connections, calm.plan)) {
                    Map<String, Part> cells = new TreeMap<>();
                    Map<String, Row> after = new TreeMap<>(model);
                    for (int i = random.nextInt(12); i >= 0; i--) {
                        change(it, random, cells, after, model, last[0] + 1);
                    }
                    List<Part> parts = new ArrayList<>(cells.values());
                    long read = random.nextInt(3);
                    parts.add(judged(read, 0));
                    parts.add(cut(position, position + read, "11"));
                    position += read;
                    it.publish(seat, checkpoint, parts.toArray(Part[]::new));
                    if (read > 0 || !after.equals(model)) {
                        last[0]++;
                    }
                    model.clear();
                    model.putAll(after);
                    assertThat(rows(it))
                            .as("checkpoint %d of seed %d", checkpoint, seed)
                            .isEqualTo(expected(model));
                    assertThat(it.rows("select coalesce(max(publication), 0), coalesce(sum(applied), 0)"
                                    + " from tidemark.publications where job = '" + job + "'"))
                            .containsExactly(last[0] + "|" + position);
                    assertThat(it.rows("select coalesce(sum(cells), 0), coalesce(sum(members), 0)"
                                    + " from tidemark.partitions where job = '" + job + "'"))
                            .isEqualTo(it.rows("select count(*), coalesce(sum(_members), 0) from " + it.table));
                    assertThat(it.staged()).isZero();
                }
            }
        }
    }

    private static void change(
            WarehouseFixture it,
            Random random,
            Map<String, Part> cells,
            Map<String, Row> after,
            Map<String, Row> before,
            long publication) {
        String day = "1" + random.nextInt(3);
        long product = random.nextInt(4);
        String cell = "2024-03-" + day + "|s|" + product;
        Row was = before.getOrDefault(cell, new Row(0, 0, "", 0));
        if (random.nextInt(4) == 0) {
            cells.put(cell, it.removed(day, "s", product));
            if (was.lines() == 0) {
                after.remove(cell);
                if (before.containsKey(cell)) {
                    after.put(cell, was);
                }
            } else {
                after.put(cell, new Row(was.revision() + 1, 0, "", publication));
            }
            return;
        }
        long lines = 1L + random.nextInt(2);
        String net = random.nextInt(2) + ".50";
        cells.put(cell, it.cell(day, "s", product, lines, net, null));
        after.put(
                cell,
                was.lines() == lines && was.net().equals(net)
                        ? was
                        : new Row(was.revision() + 1, lines, net, publication));
    }

    private static List<String> rows(WarehouseFixture it) {
        return it.rows("select day || '|' || shop || '|' || product, _revision, lines, net, _publication from "
                + it.table + " order by 1");
    }

    private static List<String> expected(Map<String, Row> model) {
        List<String> rows = new ArrayList<>();
        model.forEach((cell, row) -> {
            if (row.lines() > 0) {
                rows.add(cell + "|" + row.revision() + "|" + row.lines() + "|" + row.net() + "|" + row.publication());
            }
        });
        return rows;
    }
}
