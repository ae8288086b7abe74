package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.job.Grain;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

final class PartitionRangeTest {
    @Test
    void aDateStandsForTheUnitThatItLiesIn() {
        assertThat(range("2024-03-13", Grain.DAY)).isEqualTo(new PartitionRange("2024-03-13", "2024-03-13"));
        assertThat(range("2024-03-13", Grain.WEEK)).isEqualTo(new PartitionRange("2024-03-11", "2024-03-11"));
        assertThat(range("2024-02-29..2024-03-13", Grain.MONTH))
                .isEqualTo(new PartitionRange("2024-02-01", "2024-03-01"));
    }

    @Test
    void aDateStandsForAllOfItsHoursAndAnInstantForOne() {
        assertThat(range("2024-03-10", Grain.HOUR))
                .isEqualTo(new PartitionRange("2024-03-10T05:00:00Z", "2024-03-11T03:00:00Z"));
        assertThat(range("2024-03-10T07:30:00Z", Grain.HOUR))
                .isEqualTo(new PartitionRange("2024-03-10T07:00:00Z", "2024-03-10T07:00:00Z"));
        assertThat(range("2024-03-10T07:00:00Z..2024-03-11", Grain.HOUR))
                .isEqualTo(new PartitionRange("2024-03-10T07:00:00Z", "2024-03-12T03:00:00Z"));
    }

    @Test
    void whatIsNoPartitionIsWrongUse() {
        for (String wrong : new String[] {"", "..", "2024-03-13..", "2024-3-1", "2024-03-13T00:00:00Z"}) {
            assertThatThrownBy(() -> range(wrong, Grain.DAY)).isInstanceOf(CommandException.class);
        }
    }

    private static PartitionRange range(String text, Grain grain) {
        return PartitionRange.parse(text, grain, ZoneId.of("America/New_York"));
    }
}
