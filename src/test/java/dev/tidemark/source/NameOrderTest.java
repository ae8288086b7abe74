package dev.tidemark.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameOrderTest {
    private static final List<String> NAMES = List.of(
            "",
            "a",
            "a-b/x",
            "a.json",
            "a/x",
            "a/x/y",
            "ab",
            "b",
            "z",
            "é",
            "\uD7FF",
            "\uE000",
            "\uFFFD",
            "\uD83D\uDE00",
            "B",
            "10",
            "9");

    @Test
    void namesOrderAsTheirUtf8BytesDo() {
        for (String left : NAMES) {
            for (String right : NAMES) {
                int bytes = Arrays.compareUnsigned(
                        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
                assertThat(Integer.signum(NameOrder.INSTANCE.compare(left, right)))
                        .as("%s and %s", left, right)
                        .isEqualTo(Integer.signum(bytes));
            }
        }
    }

    @Test
    void hiddenAndUnfinishedNamesAreSkipped() {
        assertThat(List.of(".crc", "_SUCCESS", "a.json.tmp")).allMatch(NameOrder::isSkipped);
        assertThat(List.of("a.json", "a.tmp.json", "a_b")).noneMatch(NameOrder::isSkipped);
    }
}
