package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TableTest {
    @Test
    void alignsNumbersToTheRightAndTextToTheLeft() {
        assertThat(print(Format.TABLE, row("a", 5, "x"), row("bcd", 1234, null)))
                .isEqualTo("""
                key  number  text
                a         5  x
                bcd    1234  -
                """);
    }

    @Test
    void doesNotLetASourceSteerTheTerminal() {
        assertThat(print(Format.TABLE, row("\u001b[31mred", 1, "two\nlines\u202e")))
                .isEqualTo("""
                key            number  text
                \\u{1b}[31mred       1  two\\nlines\\u{202e}
                """);
    }

    @Test
    void cutsWhatIsTooWideByCharacters() {
        assertThat(print(Format.TABLE, row("\ud83c\udf0a".repeat(70), 1, "x"))
                        .lines()
                        .skip(1))
                .containsExactly("\ud83c\udf0a".repeat(59) + "…       1  x");
    }

    @Test
    void csvQuotesWhatItMustAndTellsEmptyFromNothing() {
        assertThat(print(Format.CSV, row("a,b", new BigDecimal("1E+2"), "say \"x\"\r\n"), row("", 0, null)))
                .isEqualTo("key,number,text\r\n\"a,b\",100,\"say \"\"x\"\"\r\n\"\r\n\"\",0,\r\n");
    }

    @Test
    void jsonIsAnArrayOfObjects() {
        assertThat(print(
                        Format.JSON,
                        row("a\"\n", new BigDecimal("1.50"), Instant.EPOCH),
                        row(true, Double.NaN, new Rows.Json("{\"b\": [1]}"))))
                .isEqualTo("""
                        [
                        {"key":"a\\"\\n","number":1.50,"text":"1970-01-01T00:00:00Z"},
                        {"key":true,"number":"NaN","text":{"b": [1]}}
                        ]
                        """);
        assertThat(print(Format.JSON)).isEqualTo("[]\n");
    }

    @SafeVarargs
    private static String print(Format format, List<@Nullable Object>... rows) {
        StringWriter text = new StringWriter();
        Rows printed = format.rows(new PrintWriter(text), List.of("key", "number", "text"));
        for (List<@Nullable Object> row : rows) {
            printed.add(row);
        }
        printed.end();
        return text.toString();
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return Arrays.asList(values);
    }
}
