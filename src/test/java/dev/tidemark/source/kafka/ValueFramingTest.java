package dev.tidemark.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.RawRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.message.BinaryMessageEncoder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands before a value is taken off, and says with which schema it was written. */
class ValueFramingTest {
    private static final String SCHEMA = """
            {"type":"record","name":"R","fields":[{"name":"a","type":"long"}]}""";

    private final RawRecord record = new RawRecord();

    private byte[] framed() {
        return Arrays.copyOfRange(record.bytes, record.start, record.start + record.length);
    }

    @Test
    void avrosOwnEncoderIsUnderstood() throws IOException {
        Schema schema = new Schema.Parser().parse(SCHEMA);
        GenericData.Record datum = new GenericData.Record(schema);
        datum.put("a", 1L);
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        new BinaryMessageEncoder<GenericData.Record>(new GenericData(), schema).encode(datum, message);

        new SingleObjectFraming(Map.of(SchemaNormalization.parsingFingerprint64(schema), SCHEMA))
                .frame(message.toByteArray(), record);

        assertThat(record.damage).isNull();
        assertThat(record.writerSchema).isSameAs(SCHEMA);
        assertThat(framed()).containsExactly(2);
        assertThat(record.wholeLength).isEqualTo(11);
    }

    @Test
    void anUnknownFingerprintIsDamageThatNamesIt() {
        byte[] value = {(byte) 0xc3, 1, 8, 7, 6, 5, 4, 3, 2, 1, 0};

        new SingleObjectFraming(Map.of()).frame(value, record);

        assertThat(record.damage).isEqualTo("no schema in source.kafka.schemas has the fingerprint 0102030405060708");
        assertThat(framed()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u0001", "{}", "\u00c3\u0001345678", "0123456789abcdef"})
    void aValueWithoutTheFramingIsDamage(String text) throws IOException {
        byte[] value = text.getBytes(StandardCharsets.ISO_8859_1);
        new SingleObjectFraming(Map.of()).frame(value, record);
        assertThat(record.damage).contains("single-object framing");
        assertThat(framed()).isEqualTo(value);

        new ConfluentFraming(id -> SCHEMA).frame(value, record);
        assertThat(record.damage).contains("zero byte and a schema id");
        assertThat(framed()).isEqualTo(value);
    }

    @Test
    void aSchemaIdIsFourBytesInBigEndianOrder() throws IOException {
        byte[] value = ByteBuffer.allocate(6)
                .put((byte) 0)
                .putInt(0x0102_0304)
                .put((byte) 9)
                .array();

        new ConfluentFraming(Map.of(0x0102_0304L, SCHEMA)::get).frame(value, record);

        assertThat(record.damage).isNull();
        assertThat(record.writerSchema).isSameAs(SCHEMA);
        assertThat(framed()).containsExactly(9);
    }

    @Test
    void anIdThatMeansNothingIsDamageAndTheNextRecordIsNot() throws IOException {
        ConfluentFraming framing = new ConfluentFraming(Map.of(1L, SCHEMA)::get);

        framing.frame(new byte[] {0, 0, 0, 0, 2, 9}, record);
        assertThat(record.damage).isEqualTo("no Avro schema has the id 2");

        framing.frame(new byte[] {0, 0, 0, 0, 1}, record);
        assertThat(record.damage).isNull();
        assertThat(record.length).isZero();
    }

    @Test
    void withoutFramingTheWholeValueIsTheDatum() throws IOException {
        new ValueFraming.Bare(SCHEMA).frame(new byte[] {0, 1}, record);

        assertThat(framed()).containsExactly(0, 1);
        assertThat(record.writerSchema).isSameAs(SCHEMA);
    }
}
