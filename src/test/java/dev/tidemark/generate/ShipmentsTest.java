package dev.tidemark.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.generate.RecordedRows.Row;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the story of the shipments promises. */
class ShipmentsTest {
    private static final Progress UNHEARD = (day, records) -> {};
    private static final int ID = 0;
    private static final int STATUS = 3;
    private static final int SHIPPED = 4;
    private static final int UPDATED = 5;
    private static final int LOADED = 6;

    private static ShipmentsFigures figures;
    private static List<Row> rows;

    @BeforeAll
    static void tell() throws IOException {
        RecordedRows recorded = new RecordedRows();
        figures = new Shipments(0.01, Shipments.NIGHTS, 4).write(recorded, UNHEARD);
        rows = recorded.rows();
    }

    private static ZonedDateTime local(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000).atZone(Kestrel.ZONE);
    }

    @Test
    void eachNightFetchesTheDayThatIsOverAndTheThreeBefore() {
        Map<LocalDate, Map<LocalDate, Long>> nights = new TreeMap<>();
        for (Row row : rows) {
            ZonedDateTime loaded = local(row.number(LOADED));
            assertThat(loaded.toLocalTime()).isEqualTo(LocalTime.of(4, 0));
            nights.computeIfAbsent(loaded.toLocalDate(), night -> new TreeMap<>())
                    .merge(local(row.number(SHIPPED)).toLocalDate(), 1L, Long::sum);
        }
        assertThat(nights).hasSize(19);
        LocalDate first = LocalDate.of(2026, 11, 8);
        nights.forEach((night, days) -> {
            List<LocalDate> fetched = night.minusDays(4)
                    .datesUntil(night)
                    .filter(day -> !day.isBefore(first))
                    .toList();
            assertThat(days.keySet()).containsExactlyElementsOf(fetched);
            assertThat(days.values()).containsOnly(66L);
        });
    }

    @Test
    void whatIsSettledIsThereFourTimes() {
        Map<Long, Long> copies = new HashMap<>();
        rows.forEach(row -> copies.merge(row.number(ID), 1L, Long::sum));
        assertThat(copies).hasSize((int) figures.shipments());
        assertThat(copies.values().stream().filter(count -> count == 4).count())
                .isEqualTo(figures.settled())
                .isEqualTo(16 * 66);
        assertThat(rows).hasSize((int) figures.rows()).hasSize(66 * 70);
        assertThat(figures.copies()).isEqualTo(4);
    }

    @Test
    void aShipmentIsDeliveredOnceAndStaysSo() {
        Map<Long, List<Row>> versions = new HashMap<>();
        rows.forEach(row -> versions.computeIfAbsent(row.number(ID), id -> new ArrayList<>())
                .add(row));
        assertThat(versions.values()).allSatisfy(all -> {
            assertThat(all.stream().map(row -> row.number(UPDATED))).isSorted();
            assertThat(all.stream().map(row -> row.number(UPDATED)).distinct().count())
                    .isLessThanOrEqualTo(2);
            assertThat(all)
                    .allMatch(row -> row.number(UPDATED) <= row.number(LOADED)
                            && row.text(STATUS).equals("delivered") == row.number(UPDATED) > row.number(SHIPPED));
        });
        assertThat(versions.values().stream()
                        .filter(all -> all.size() == 4)
                        .map(all -> all.get(3).text(STATUS)))
                .containsOnly("delivered");
    }
}
