package dev.tidemark.change.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Field;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Our decoder beside Avro's own generic reader, on the same bytes. */
class SchemaResolutionTest {
    private static final int PAIRS = Integer.getInteger("tidemark.schemas", 1500);
    private static final String REFUSED = "refused";

    @Test
    void everyPairOfSchemasIsResolvedAsAvroResolvesIt() {
        long seed = Long.getLong("tidemark.schemas.seed", new Random().nextLong());
        Random random = new Random(seed);
        SchemaPairs pairs = new SchemaPairs(random);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < PAIRS; i++) {
            SchemaPairs.Pair pair = pairs.next();
            for (int j = 0; j < 3; j++) {
                byte[] bytes = encoded(pair.writer(), pairs.datum(pair.writer()), random.nextBoolean());
                List<@Nullable Object> expected = plain(pair, bytes);
                List<@Nullable Object> actual =
                        Fixture.avro(pair.reader(), bytes, pair.writer().toString());
                if (expected.equals(List.of(REFUSED))) {
                    refused++;
                    assertThat(actual)
                            .as("seed %d: writer %s, reader %s", seed, pair.writer(), pair.reader())
                            .singleElement()
                            .asString()
                            .startsWith("undecodable: ");
                } else {
                    read++;
                    assertThat(actual)
                            .as("seed %d: writer %s, reader %s", seed, pair.writer(), pair.reader())
                            .isEqualTo(expected);
                }
            }
        }
        assertThat(read).as("seed %d: read", seed).isGreaterThan(PAIRS / 2);
        assertThat(refused).as("seed %d: refused", seed).isGreaterThan(PAIRS / 2);
    }

    /** What Avro's reader makes of the bytes, in the values that the decoder's slots have. */
    private static List<@Nullable Object> plain(SchemaPairs.Pair pair, byte[] bytes) {
        GenericRecord record;
        try {
            record = new GenericDatumReader<GenericRecord>(pair.writer(), pair.reader())
                    .read(null, DecoderFactory.get().binaryDecoder(bytes, null));
        } catch (IOException | RuntimeException e) {
            return List.of(REFUSED);
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : Fixture.fields(pair.reader())) {
            Object value = record;
            Schema schema = pair.reader();
            for (String name : field.name().split("\\.", -1)) {
                schema = Fixture.value(schema.getField(name).schema());
                value = value == null ? null : ((GenericRecord) value).get(name);
            }
            values.add(value == null ? null : value(schema, value));
        }
        return values;
    }

    private static Object value(Schema schema, Object value) {
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return bytes(schema, bytes);
        }
        if (value instanceof GenericFixed fixed) {
            return bytes(schema, fixed.bytes());
        }
        if (value instanceof Float number) {
            return number == 0 ? 0f : number;
        }
        if (value instanceof Double number) {
            return number == 0 ? 0.0 : number;
        }
        if (value instanceof Boolean) {
            return value;
        }
        if (value instanceof Integer || value instanceof Long) {
            return whole(schema, (Number) value);
        }
        return schema.getLogicalType() == null ? value.toString() : UUID.fromString(value.toString());
    }

    private static Object whole(Schema schema, Number value) {
        long number = value.longValue();
        String logical =
                schema.getLogicalType() == null ? "" : schema.getLogicalType().getName();
        return switch (logical) {
            case "date" -> LocalDate.ofEpochDay(number);
            case "time-millis" -> LocalTime.MIDNIGHT.plus(number, ChronoUnit.MILLIS);
            case "time-micros" -> LocalTime.MIDNIGHT.plus(number, ChronoUnit.MICROS);
            case "timestamp-millis" -> Instant.EPOCH.plus(number, ChronoUnit.MILLIS);
            case "timestamp-micros" -> Instant.EPOCH.plus(number, ChronoUnit.MICROS);
            case "local-timestamp-millis" ->
                LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(number, ChronoUnit.MILLIS);
            case "local-timestamp-micros" ->
                LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC).plus(number, ChronoUnit.MICROS);
            default -> value;
        };
    }

    private static Object bytes(Schema schema, byte[] bytes) {
        return schema.getLogicalType() instanceof LogicalTypes.Decimal decimal
                ? new BigDecimal(new BigInteger(bytes), decimal.getScale())
                : HexFormat.of().formatHex(bytes);
    }

    /** @param inBlocks arrays and maps tell how long their blocks are */
    private static byte[] encoded(Schema schema, Object datum, boolean inBlocks) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = inBlocks
                ? new EncoderFactory().configureBlockSize(64).blockingBinaryEncoder(out, null)
                : EncoderFactory.get().directBinaryEncoder(out, null);
        try {
            new GenericDatumWriter<>(schema).write(datum, encoder);
            encoder.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
