package dev.tidemark.source.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.source.Content;
import dev.tidemark.source.ContentInMemory;
import dev.tidemark.source.Framed;
import dev.tidemark.source.flink.SourceFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvroContainerTest {
    private static final Schema WORD =
            SchemaBuilder.record("Word").fields().requiredString("text").endRecord();

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "snappy", "bzip2", "xz", "zstandard"})
    void eachDatumIsItsExactBytesWithEveryCodec(String codec) throws IOException {
        byte[] file = SourceFiles.container(WORD, codec, 7, words(50));
        assertThat(read(ContentInMemory.of(file))).isEqualTo(encoded(50));
        assertThat(read(ContentInMemory.of(file).inStepsOf(3))).isEqualTo(encoded(50));
        assertThat(read(ContentInMemory.gzip(ContentInMemory.compressed(file)))).isEqualTo(encoded(50));
        assertThat(Framed.resumedEverywhere((position, ordinal) -> open(ContentInMemory.of(file), position, ordinal)))
                .allMatch(encoded(50)::equals);
    }

    @Test
    void aFileThatIsNoContainerIsOneDamagedRecord() throws IOException {
        byte[] file = SourceFiles.container(WORD, "null", 7, words(5));
        assertThat(read(ContentInMemory.of("{\"a\": 1}\n")))
                .singleElement()
                .asString()
                .startsWith("[words.avro cannot be read as an Avro container file: it does not begin")
                .endsWith("(9 of 9)");
        assertThat(read(ContentInMemory.of(""))).hasSize(1);
        assertThat(read(ContentInMemory.of(Arrays.copyOf(file, 30)))).hasSize(1);
        assertThat(read(ContentInMemory.of(replaced(file, codecEntry("null"), codecEntry("own")))))
                .singleElement()
                .asString()
                .contains("its codec own is none of Avro's");
        assertThat(read(ContentInMemory.of(replaced(file, "string", "strinx"))))
                .singleElement()
                .asString()
                .contains("its schema cannot be read");
    }

    @Test
    void aBadSyncMarkerCostsOneRecordAndReadingGoesOnBehindTheNext() throws IOException {
        byte[] file = SourceFiles.container(WORD, "null", 10, words(40));
        byte[] spoilt = file.clone();
        spoilt[indexOf(file, "word-19") + 12] ^= 1;
        List<String> records = read(ContentInMemory.of(spoilt));
        assertThat(records).hasSize(10 + 1 + 10);
        assertThat(records.get(10)).matches("\\[the block at byte \\d+ of words.avro is damaged: the sync marker .*");
        assertThat(records.subList(11, 21)).isEqualTo(encoded(40).subList(30, 40));
        assertResumable(ContentInMemory.of(spoilt));
    }

    @Test
    void aBlockThatCannotBeDecompressedCostsOneRecordAndNoOther() throws IOException {
        byte[] file = SourceFiles.container(WORD, "snappy", 10, words(40));
        byte[] spoilt = file.clone();
        int second = indexOf(file, "word-10");
        spoilt[second + 3] ^= 0x55;
        List<String> records = read(ContentInMemory.of(spoilt));
        assertThat(records).hasSize(31);
        assertThat(records.get(10)).contains("the compressed data ");
        assertThat(records.subList(11, 31)).isEqualTo(encoded(40).subList(20, 40));
        assertResumable(ContentInMemory.of(spoilt));
    }

    @Test
    void aFileThatBreaksOffGivesItsWholeBlocksAndOneDamagedRecord() throws IOException {
        byte[] file = SourceFiles.container(WORD, "null", 10, words(40));
        byte[] short1 = Arrays.copyOf(file, file.length - 20);
        List<String> records = read(ContentInMemory.of(short1));
        assertThat(records).hasSize(31);
        assertThat(records.subList(0, 30)).isEqualTo(encoded(40).subList(0, 30));
        assertThat(records.get(30))
                .contains("breaks off at byte " + short1.length)
                .contains("no other block follows");
        assertResumable(ContentInMemory.of(short1));

        byte[] zipped = ContentInMemory.compressed(file);
        Content half = ContentInMemory.gzip(Arrays.copyOf(zipped, zipped.length - 40));
        records = read(half);
        assertThat(records).hasSizeLessThan(40);
        assertThat(records.get(records.size() - 1)).contains("the gzip stream breaks off");
        assertResumable(half);
    }

    @Test
    void aDatumThatCannotBeToldApartPoisonsTheRestOfItsBlock() throws IOException {
        byte[] file = SourceFiles.container(WORD, "null", 10, words(40));
        byte[] spoilt = file.clone();
        spoilt[indexOf(file, "word-13") - 1] = 0x7f;
        List<String> records = read(ContentInMemory.of(spoilt));
        assertThat(records).hasSize(40);
        assertThat(records.get(12)).isEqualTo(encoded(40).get(12));
        assertThat(records.get(13))
                .startsWith("[it is no datum of the file's schema")
                .endsWith("(56 of 56)");
        assertThat(records.subList(14, 20))
                .allMatch(record -> record.contains("follows an unreadable record in the same block"));
        assertThat(records.subList(20, 40)).isEqualTo(encoded(40).subList(20, 40));
        assertResumable(ContentInMemory.of(spoilt));
    }

    @Test
    void bytesBehindTheLastDatumOfABlockAreOneDamagedRecord() throws IOException {
        byte[] file = SourceFiles.container(WORD, "null", 10, words(20));
        byte[] spoilt = file.clone();
        spoilt[indexOf(file, "word-10") - 1] = 2 * 6;
        spoilt[indexOf(file, "word-10") + 6] = 0;
        List<String> records = read(ContentInMemory.of(spoilt));
        assertThat(records).hasSize(21);
        assertThat(records.get(20)).contains("8 bytes are left over behind the last record of the block");
        assertResumable(ContentInMemory.of(spoilt));
    }

    @Test
    void anyByteThatFlipsCostsRecordsButNothingElse() throws IOException {
        for (String codec : List.of("null", "deflate", "snappy")) {
            byte[] file = SourceFiles.container(WORD, codec, 10, words(30));
            for (int i = 0; i < file.length; i++) {
                byte[] spoilt = file.clone();
                spoilt[i] ^= 0x41;
                Content content = ContentInMemory.of(spoilt);
                List<String> records;
                try {
                    records = read(content);
                } catch (IOException e) {
                    assertThat(e).hasMessageContaining("whose library is not on the class path");
                    continue;
                }
                assertThat(records).as("byte %d", i).hasSizeBetween(1, 32);
            }
        }
    }

    @Test
    void allOfAvrosTypesAreSkipped() throws IOException {
        Schema schema = new Schema.Parser().parse("""
                {"type": "record", "name": "All", "fields": [
                  {"name": "n", "type": "null"}, {"name": "b", "type": "boolean"}, {"name": "f", "type": "float"},
                  {"name": "d", "type": "double"}, {"name": "x", "type": {"type": "fixed", "name": "X", "size": 3}},
                  {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B"]}},
                  {"name": "a", "type": {"type": "array", "items": "string"}},
                  {"name": "nulls", "type": {"type": "array", "items": "null"}},
                  {"name": "m", "type": {"type": "map", "values": "long"}},
                  {"name": "next", "type": ["null", "All"]}, {"name": "s", "type": "string"}]}""");
        List<GenericRecord> records = new ArrayList<>();
        GenericRecord inner = null;
        for (int i = 0; i < 5; i++) {
            inner = new GenericRecordBuilder(schema)
                    .set("n", null)
                    .set("b", true)
                    .set("f", 1f)
                    .set("d", 2d)
                    .set(
                            "x",
                            new org.apache.avro.generic.GenericData.Fixed(
                                    schema.getField("x").schema(), new byte[3]))
                    .set(
                            "e",
                            new org.apache.avro.generic.GenericData.EnumSymbol(
                                    schema.getField("e").schema(), "B"))
                    .set("a", List.of("one", "two"))
                    .set("nulls", Arrays.asList(null, null))
                    .set("m", java.util.Map.of("k", 300L))
                    .set("next", inner)
                    .set("s", "end" + i)
                    .build();
            records.add(inner);
        }
        List<String> read = read(ContentInMemory.of(SourceFiles.container(schema, "null", 3, records)));
        assertThat(read).hasSize(5);
        for (int i = 0; i < 5; i++) {
            assertThat(read.get(i)).endsWith("end" + i);
        }
    }

    private static void assertResumable(Content content) throws IOException {
        List<String> whole = read(content);
        assertThat(Framed.resumedEverywhere((position, ordinal) -> open(content, position, ordinal)))
                .allMatch(whole::equals);
    }

    private static List<String> read(Content content) throws IOException {
        return Framed.all(open(content, 0, 0));
    }

    private static AvroContainer open(Content content, long position, long ordinal) {
        return new AvroContainer("words.avro", content, position, ordinal);
    }

    private static List<GenericRecord> words(int count) {
        List<GenericRecord> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add(new GenericRecordBuilder(WORD).set("text", word(i)).build());
        }
        return words;
    }

    private static List<String> encoded(int count) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add((char) (2 * word(i).length()) + word(i));
        }
        return words;
    }

    private static String word(int i) {
        return "word-" + (i < 10 ? "0" : "") + i;
    }

    private static String codecEntry(String codec) {
        return "avro.codec" + (char) (2 * codec.length()) + codec;
    }

    private static int indexOf(byte[] file, String text) {
        return new String(file, StandardCharsets.ISO_8859_1).indexOf(text);
    }

    private static byte[] replaced(byte[] file, String text, String other) {
        return new String(file, StandardCharsets.ISO_8859_1)
                .replace(text, other)
                .getBytes(StandardCharsets.ISO_8859_1);
    }
}
