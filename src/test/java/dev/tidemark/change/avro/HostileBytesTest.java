package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Rejection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What no writer wrote is a rejection with a reason, and soon. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class HostileBytesTest {
    private static final Schema READER = schema(
            field("s", "\"string\""),
            field("u", "[\"null\",\"long\"]"),
            field("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]}"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                           | the record breaks off inside field s
            01                           | field s: it claims to be -1 bytes long, and 0 are left
            feffffffffffffffff01         | field s: it claims to be 9223372036854775807 bytes long, and 0 are left
            ffffffffffffffffff01         | field s: it claims to be -9223372036854775808 bytes long, and 0 are left
            0461                         | field s: it claims to be 2 bytes long, and 1 are left
            ffffffffffffffffff02         | field s: a number of more than 64 bits
            ffffffffffffffffffff01       | field s: a number of more than 64 bits
            ffffffff                     | the record breaks off inside field s
            0004                         | field u: the union has no branch 2
            0001                         | field u: the union has no branch -1
            000280                       | the record breaks off inside field u
            000002                       | field e: the enum has no symbol 1
            000003                       | field e: the enum has no symbol -2
            00000000                     | 1 bytes are left over behind the last field
            """)
    void isRejectedWithThePlaceAndTheFault(String hex, String message) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThat(Fixture.avro(READER, bytes, null).toString()).isEqualTo("[undecodable: " + message + "]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"type":"array","items":"null"}                                | feffffffffffffffff01 00 | true
            {"type":"array","items":{"type":"fixed","name":"Z","size":0}}   | feffffffffffffffff01 00 | true
            {"type":"array","items":{"type":"record","name":"Z","fields":[]}} | feffffffffffffffff01 00 | true
            {"type":"array","items":"long"}                                | feffffffffffffffff01 00 | false
            {"type":"map","values":"null"}                                 | feffffffffffffffff01 00 | false
            {"type":"array","items":"long"}                                | 01 feffffffffffffffff01 | false
            {"type":"array","items":"long"}                                | ffffffffffffffffff01 01 | false
            {"type":"array","items":"long"}                                | 03 06 ffffff 00 | true
            {"type":"map","values":"bytes"}                                | 02 01 | false
            {"type":"fixed","name":"Z","size":2000000000}                  | 00 | false
            ["null","long"]                                                | 04 | false
            "bytes"                                                        | feffffffffffffffff01 | false
            """)
    void isPassedOverWithoutRoomOrTime(String type, String hex, boolean isSound) {
        Schema writer = schema(field("unread", type), field("s", "\"string\""));
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", "") + "0261");
        String result = Fixture.avro(schema(field("s", "\"string\"")), bytes, writer.toString())
                .toString();
        assertThat(result)
                .isEqualTo(
                        isSound
                                ? "[a]"
                                : "[undecodable: the record breaks off or is damaged inside field unread, which the job"
                                        + " does not read]");
    }

    @Test
    void isNotFollowedIntoTheDepth() {
        Schema writer = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"L\",\"fields\":[{\"name\":\"next\",\"type\":[\"null\",\"L\"]},"
                        + "{\"name\":\"tree\",\"type\":{\"type\":\"array\",\"items\":\"L\"}},"
                        + "{\"name\":\"s\",\"type\":\"string\"}]}");
        byte[] bytes = new byte[4 << 20];
        Arrays.fill(bytes, (byte) 2);
        assertThat(Fixture.avro(schema(field("s", "\"string\"")), bytes, writer.toString())
                        .toString())
                .contains("undecodable: the record breaks off or is damaged inside the fields from next to tree");
    }

    @Test
    void isNoWriterSchema() {
        Schema reader = schema(field("s", "\"string\""));
        String deep = "{\"type\":\"array\",\"items\":".repeat(100_000) + "\"int\"" + "}".repeat(100_000);
        String wide = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":" + deep + "}]}";
        for (String schema : new String[] {deep, wide, "", "null", "{}", "[]", "\"R\"", "{\"type\":\"R\"}", "\u0000"}) {
            assertThat(Fixture.avro(reader, new byte[] {2, 'a'}, schema).toString())
                    .startsWith("[undecodable: the writer schema ");
        }
    }

    @Test
    void mayBeAnyBytes() {
        long seed = Long.getLong("tidemark.bytes.first", 1);
        Random random = new Random(seed);
        SchemaPairs pairs = new SchemaPairs(random);
        for (int i = 0; i < 400; i++) {
            SchemaPairs.Pair pair = pairs.next();
            var reading = Fixture.row(pair.reader());
            RecordDecoder avro = new AvroRecordDecoder(reading, pair.reader().toString());
            RecordDecoder json = new JsonRecordDecoder(reading, pair.reader().toString());
            Draft draft = new Draft(reading.fields().size());
            String writer = pair.writer().toString();
            byte[] sound = Fixture.encoded((GenericRecord) pairs.datum(pair.writer()));
            byte[] text = pairs.datum(pair.reader()).toString().getBytes(StandardCharsets.UTF_8);
            for (int j = 0; j < 50; j++) {
                decode(avro, draft, mutated(sound, random), writer, seed);
                decode(json, draft, mutated(text, random), null, seed);
            }
            byte[] spoilt = mutated(writer.getBytes(StandardCharsets.UTF_8), random);
            decode(avro, draft, sound, new String(spoilt, StandardCharsets.UTF_8), seed);
        }
    }

    private static void decode(RecordDecoder decoder, Draft draft, byte[] bytes, @Nullable String writer, long seed) {
        draft.clear();
        try {
            decoder.decode(Fixture.raw(bytes, writer), draft);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(
                    "seed " + seed + ", writer " + writer + ": "
                            + HexFormat.of().formatHex(bytes),
                    e);
        }
        assertThat(draft.rejection()).as("seed %d", seed).isIn(null, Rejection.UNDECODABLE, Rejection.OUT_OF_RANGE);
        if (draft.rejection() != null) {
            assertThat(draft.error()).isNotBlank();
        }
    }

    /** Some bytes changed, left out, put in, or cut off. */
    private static byte[] mutated(byte[] sound, Random random) {
        byte[] bytes = sound.clone();
        for (int i = random.nextInt(3); i >= 0 && bytes.length > 0; i--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 11), (byte) 0xff);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
                    System.arraycopy(bytes, at, longer, at + 1, bytes.length - at);
                    bytes = longer;
                }
            }
        }
        return bytes;
    }
}
