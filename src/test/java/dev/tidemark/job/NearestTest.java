package dev.tidemark.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {
    private static final List<String> WORDS = List.of("net", "quantity", "line_number", "unit_price");

    @Test
    void guessesThroughATypingMistake() {
        assertThat(Nearest.of("nett", WORDS)).isEqualTo("net");
        assertThat(Nearest.of("qauntity", WORDS)).isEqualTo("quantity");
        assertThat(Nearest.of("lineNumber", WORDS)).isEqualTo("line_number");
        assertThat(Nearest.of("UNIT_PRICE", WORDS)).isEqualTo("unit_price");
    }

    @Test
    void doesNotGuessWhatIsFarAway() {
        assertThat(Nearest.of("customer", WORDS)).isNull();
        assertThat(Nearest.question("customer", WORDS)).isEmpty();
        assertThat(Nearest.question("x", List.of())).isEmpty();
    }

    @Test
    void asksWithASpaceAtTheEnd() {
        assertThat(Nearest.question("nett", WORDS)).isEqualTo("did you mean 'net'? ");
    }
}
