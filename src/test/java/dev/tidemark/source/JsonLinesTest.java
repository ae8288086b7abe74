package dev.tidemark.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonLinesTest {
    @Test
    void eachLineIsARecordAndBlankLinesAreNone() throws IOException {
        assertThat(read(ContentInMemory.of("a\nb\r\n\n  \t\r\nc d \n\r\ne"))).containsExactly("a", "b", "c d ", "e");
        assertThat(read(ContentInMemory.of(""))).isEmpty();
        assertThat(read(ContentInMemory.of("\n\n"))).isEmpty();
        assertThat(read(ContentInMemory.of("a"))).containsExactly("a");
    }

    @Test
    void aByteOrderMarkIsPassedOverOnlyAtTheBeginning() throws IOException {
        assertThat(read(ContentInMemory.of("\uFEFFa\n\uFEFFb").inStepsOf(1)))
                .containsExactly("a", "\u00EF\u00BB\u00BFb");
        assertThat(read(ContentInMemory.of("\uFEFF"))).isEmpty();
    }

    @Test
    void linesAreTheSameHoweverTheBytesArrive() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 2000; i++) {
            text.append("x".repeat(i)).append(i % 3 == 0 ? "\r\n" : "\n");
        }
        List<String> whole = read(ContentInMemory.of(text.toString()));
        assertThat(whole).hasSize(1999);
        assertThat(read(ContentInMemory.of(text.toString()).inStepsOf(777))).isEqualTo(whole);
        assertThat(read(ContentInMemory.gzip(
                        ContentInMemory.compressed(text.toString().getBytes(StandardCharsets.UTF_8)))))
                .isEqualTo(whole);
    }

    @Test
    void aLineOfMoreThanSixteenMebibytesIsDamagedAndReadingGoesOn() throws IOException {
        String longest = "y".repeat(JsonLines.LONGEST_LINE);
        for (String tail : List.of("", "zz", "z".repeat(5 << 20))) {
            List<String> records = read(ContentInMemory.of("a\n" + longest + tail + "\nb\n"));
            assertThat(records).hasSize(3).startsWith("a").endsWith("b");
            assertThat(records.get(1))
                    .matches(record -> tail.isEmpty()
                            ? record.equals(longest)
                            : record.endsWith("(65536 of " + (longest.length() + tail.length()) + ")"));
        }
    }

    @Test
    void aGzipFileThatBreaksOffGivesItsLinesAndOneDamagedRecord() throws IOException {
        StringBuilder text = new StringBuilder();
        java.util.Random random = new java.util.Random(3);
        for (int i = 0; i < 20_000; i++) {
            text.append(random.nextLong()).append('\n');
        }
        List<String> lines = text.toString().lines().toList();
        byte[] whole = ContentInMemory.compressed(text.toString().getBytes(StandardCharsets.UTF_8));
        byte[] half = Arrays.copyOf(whole, whole.length / 2);
        List<String> records = read(ContentInMemory.gzip(half));
        assertThat(records).hasSizeGreaterThan(5000);
        assertThat(records.subList(0, records.size() - 1)).isEqualTo(lines.subList(0, records.size() - 1));
        assertThat(records.get(records.size() - 1))
                .startsWith("[the gzip stream breaks off at byte " + half.length + "]");

        byte[] spoilt = whole.clone();
        Arrays.fill(spoilt, whole.length / 2, whole.length / 2 + 100, (byte) 0x5a);
        records = read(ContentInMemory.gzip(spoilt));
        assertThat(records.get(records.size() - 1)).startsWith("[the gzip stream ");
        assertThat(read(ContentInMemory.gzip(spoilt).inStepsOf(1000))).isEqualTo(records);

        byte[] wrongSum = whole.clone();
        wrongSum[whole.length - 8] ^= 1;
        records = read(ContentInMemory.gzip(wrongSum));
        assertThat(records).hasSize(lines.size() + 1);
        assertThat(records.get(lines.size())).contains("wrong check sum").endsWith("(0 of 0)");
    }

    @Test
    void allMembersOfAGzipFileAreReadAndZerosMayPadIt() throws IOException {
        byte[] one = ContentInMemory.compressed("a\nb".getBytes(StandardCharsets.UTF_8));
        byte[] two = ContentInMemory.compressed("c\nd\n".getBytes(StandardCharsets.UTF_8));
        byte[] both = Arrays.copyOf(one, one.length + two.length + 30);
        System.arraycopy(two, 0, both, one.length, two.length);
        assertThat(read(ContentInMemory.gzip(both).inStepsOf(1))).containsExactly("a", "bc", "d");
        both[one.length + 1] = 7;
        assertThat(read(ContentInMemory.gzip(both)))
                .hasSize(2)
                .element(1)
                .asString()
                .contains("header");
        assertThat(read(ContentInMemory.gzip("no gzip".getBytes(StandardCharsets.UTF_8))))
                .hasSize(1);
    }

    @Test
    void readingTakenUpAgainAnywhereGivesTheSameRest() throws IOException {
        byte[] text = "\uFEFFa\n\n bb\r\n\n\nccc\n  \nlast".getBytes(StandardCharsets.UTF_8);
        byte[] zipped = ContentInMemory.compressed(text);
        for (Content content : List.of(
                ContentInMemory.of(text),
                ContentInMemory.gzip(zipped),
                ContentInMemory.gzip(Arrays.copyOf(zipped, zipped.length - 9)))) {
            List<String> whole = read(content);
            assertThat(Framed.resumedEverywhere((position, ordinal) -> new JsonLines(content, position, ordinal)))
                    .hasSize(whole.size() + 1)
                    .allMatch(whole::equals);
        }
    }

    private static List<String> read(Content content) throws IOException {
        return Framed.all(new JsonLines(content, 0, 0));
    }
}
