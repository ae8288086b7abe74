package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class WordsTest {
    @Test
    void aSpanIsToldByItsTwoGreatestUnits() {
        assertThat(Words.span(Duration.parse("P9DT2H59M"))).isEqualTo("9 d 2 h");
        assertThat(Words.span(Duration.ofDays(3))).isEqualTo("3 d");
        assertThat(Words.span(Duration.ofMinutes(95))).isEqualTo("1 h 35 min");
        assertThat(Words.span(Duration.ofSeconds(61))).isEqualTo("1 min 1 s");
        assertThat(Words.span(Duration.ofMillis(12_590))).isEqualTo("12.5 s");
        assertThat(Words.span(Duration.ofMillis(-850))).isEqualTo("-850 ms");
    }
}
