package dev.tidemark.publish.jdbc;

import static dev.tidemark.publish.jdbc.WarehouseFixture.cut;
import static dev.tidemark.publish.jdbc.WarehouseFixture.judged;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Warehouse.Outcome;
import dev.tidemark.publish.Warehouse.Seat;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Orders of magnitude, so that a plan gone wrong is noticed; the figures are printed. */
final class PublishingSpeedTest {
    private static final int CELLS = 100_000;

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyCellsTakeSecondsAndFewTakeMilliseconds(boolean revisions) throws SQLException {
        try (WarehouseFixture it = new WarehouseFixture(POSTGRES, "speed-" + revisions, revisions);
                JdbcStage stage = it.stage("s1");
                JdbcWarehouse warehouse = it.warehouse()) {
            it.init();
            Seat seat = warehouse.register("s1", "f");
            for (int round = 1; round <= 3; round++) {
                long begun = System.nanoTime();
                for (int i = 0; i < CELLS; i++) {
                    int changed = round < 3 || i % 10 == 0 ? round : 2;
                    stage.add(it.cell("1" + i % 4, "shop " + i % 1000, i, changed, changed + ".00", i * 0.1));
                }
                stage.add(judged(CELLS, 0));
                stage.add(cut((round - 1L) * CELLS, (long) round * CELLS, "12"));
                StagedPart part = stage.seal(round);
                long staged = System.nanoTime();
                assertThat(warehouse.publish(seat, List.of(part))).isEqualTo(Outcome.PUBLISHED);
                long published = System.nanoTime();
                report(
                        "round " + round + ": staged in %d ms, published in %d ms%n",
                        staged - begun,
                        published - staged);
                assertThat(published - staged).isLessThan(60_000_000_000L);
            }
            long begun = System.nanoTime();
            int small = 200;
            for (int checkpoint = 4; checkpoint < 4 + small; checkpoint++) {
                stage.add(it.cell("12", "shop 1", checkpoint, 5, "1.00", 1.0));
                stage.add(judged(1, 0));
                stage.add(cut(3L * CELLS + checkpoint - 4, 3L * CELLS + checkpoint - 3, "12"));
                assertThat(warehouse.publish(seat, List.of(stage.seal(checkpoint))))
                        .isEqualTo(Outcome.PUBLISHED);
            }
            report(
                    "small: %d us a checkpoint, of %d%n",
                    (System.nanoTime() - begun) / small * 1000, small * 1_000_000L);
        }
    }

    private static void report(String format, long first, long second) {
        System.out.printf(format, first / 1_000_000, second / 1_000_000);
    }
}
