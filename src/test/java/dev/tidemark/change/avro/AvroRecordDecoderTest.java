package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.avro;
import static dev.tidemark.change.avro.Fixture.decimal;
import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.logical;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AvroRecordDecoderTest {
    private static final UUID SOME_UUID = UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");

    @Test
    void plainTypesAreWhatAvroWrote() {
        Schema schema = schema(
                field("b", "\"boolean\""),
                field("i", "\"int\""),
                field("l", "\"long\""),
                field("f", "\"float\""),
                field("d", "\"double\""),
                field("s", "\"string\""),
                field("y", "\"bytes\""),
                field("x", "{\"type\":\"fixed\",\"name\":\"X\",\"size\":2}"),
                field("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}"));
        GenericRecord record = new GenericData.Record(schema);
        for (long number : new long[] {0, -1, 63, 64, -65, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            record.put("b", number < 0);
            record.put("i", (int) number);
            record.put("l", number * 4_294_967_297L);
            record.put("f", (float) number / 3);
            record.put("d", (double) number / 7);
            record.put("s", "text \u00e9\uD83D\uDE00 " + number);
            record.put("y", ByteBuffer.wrap(new byte[] {0, (byte) number}));
            record.put("x", new GenericData.Fixed(schema.getField("x").schema(), new byte[] {1, (byte) 0xff}));
            record.put("e", new GenericData.EnumSymbol(schema.getField("e").schema(), "B"));
            assertThat(avro(schema, record))
                    .containsExactly(
                            number < 0,
                            (int) number,
                            number * 4_294_967_297L,
                            (float) number / 3,
                            (double) number / 7,
                            "text \u00e9\uD83D\uDE00 " + number,
                            "00" + java.util.HexFormat.of().toHexDigits((byte) number),
                            "01ff",
                            "B");
        }
        record.put("l", Long.MIN_VALUE);
        assertThat(avro(schema, record).get(2)).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void logicalTypesAreNormalisedToMicroseconds() {
        Schema schema = schema(
                field("date", logical("int", "date")),
                field("time_ms", logical("int", "time-millis")),
                field("time_us", logical("long", "time-micros")),
                field("ts_ms", logical("long", "timestamp-millis")),
                field("ts_us", logical("long", "timestamp-micros")),
                field("lts_ms", logical("long", "local-timestamp-millis")),
                field("lts_us", logical("long", "local-timestamp-micros")),
                field("uuid", logical("string", "uuid")),
                field("uuid16", "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}"));
        GenericRecord record = new GenericData.Record(schema);
        record.put("date", -1);
        record.put("time_ms", 86_399_999);
        record.put("time_us", 123_456L);
        record.put("ts_ms", -1L);
        record.put("ts_us", -123_456L);
        record.put("lts_ms", 1_000_001L);
        record.put("lts_us", 1_123_456L);
        record.put("uuid", SOME_UUID.toString());
        ByteBuffer uuid = ByteBuffer.wrap(new byte[16]);
        uuid.putLong(SOME_UUID.getMostSignificantBits()).putLong(SOME_UUID.getLeastSignificantBits());
        record.put("uuid16", new GenericData.Fixed(schema.getField("uuid16").schema(), uuid.array()));
        assertThat(avro(schema, record))
                .containsExactly(
                        LocalDate.of(1969, 12, 31),
                        LocalTime.of(23, 59, 59, 999_000_000),
                        LocalTime.of(0, 0, 0, 123_456_000),
                        Instant.parse("1969-12-31T23:59:59.999Z"),
                        Instant.parse("1969-12-31T23:59:59.876544Z"),
                        LocalDateTime.of(1970, 1, 1, 0, 16, 40, 1_000_000),
                        LocalDateTime.of(1970, 1, 1, 0, 0, 1, 123_456_000),
                        SOME_UUID,
                        SOME_UUID);
    }

    @Test
    void decimalsAreExactInBothForms() {
        for (int precision : new int[] {9, 18, 19, 38}) {
            Schema schema = schema(
                    field("d", decimal(precision, 2)),
                    field(
                            "f",
                            "{\"type\":\"fixed\",\"name\":\"F\",\"size\":20,\"logicalType\":\"decimal\",\"precision\":"
                                    + precision + ",\"scale\":2}"));
            BigInteger limit = BigInteger.TEN.pow(precision);
            for (BigInteger unscaled : List.of(
                    BigInteger.ZERO,
                    BigInteger.ONE,
                    BigInteger.valueOf(-1),
                    BigInteger.valueOf(128),
                    BigInteger.valueOf(-129),
                    limit.subtract(BigInteger.ONE),
                    limit.negate().add(BigInteger.ONE))) {
                assertThat(avro(schema, decimals(schema, unscaled)))
                        .containsExactly(new BigDecimal(unscaled, 2), new BigDecimal(unscaled, 2));
            }
            for (BigInteger unscaled : List.of(limit, limit.negate(), BigInteger.ONE.shiftLeft(150))) {
                assertThat(avro(schema, decimals(schema, unscaled)).toString())
                        .contains("undecodable: field d: a decimal has more digits than decimal(" + precision + ", 2)");
            }
        }
    }

    @Test
    void aDecimalTakesTheReadersScaleIfNoDigitIsLost() {
        Schema writer = schema(field("d", decimal(9, 3)));
        Schema reader = schema(field("d", decimal(20, 2)));
        assertThat(avro(
                        reader,
                        one(writer, ByteBuffer.wrap(BigInteger.valueOf(1230).toByteArray()))))
                .containsExactly(new BigDecimal("1.23"));
        assertThat(avro(
                                reader,
                                one(
                                        writer,
                                        ByteBuffer.wrap(BigInteger.valueOf(1234).toByteArray())))
                        .toString())
                .contains("field d: a decimal has more than 2 digits after the point");
        assertThat(avro(
                        schema(field("d", decimal(12, 5))),
                        one(writer, ByteBuffer.wrap(BigInteger.valueOf(-1).toByteArray()))))
                .containsExactly(new BigDecimal("-0.00100"));
        assertThat(avro(reader, one(writer, ByteBuffer.allocate(0))).toString()).contains("a decimal of no bytes");
    }

    @Test
    void writersNumbersAreWidened() {
        assertThat(avro(schema(field("d", "\"long\"")), one(schema(field("d", "\"int\"")), -5)))
                .containsExactly(-5L);
        assertThat(avro(schema(field("d", "\"double\"")), one(schema(field("d", "\"int\"")), -5)))
                .containsExactly(-5.0);
        assertThat(avro(schema(field("d", "\"double\"")), one(schema(field("d", "\"long\"")), 1L << 40)))
                .containsExactly((double) (1L << 40));
        assertThat(avro(schema(field("d", "\"double\"")), one(schema(field("d", "\"float\"")), 0.1f)))
                .containsExactly((double) 0.1f);
        assertThat(avro(schema(field("d", "\"float\"")), one(schema(field("d", "\"long\"")), 7L)))
                .containsExactly(7f);
        assertThat(avro(schema(field("d", "\"bytes\"")), one(schema(field("d", "\"string\"")), "az")))
                .containsExactly("617a");
        assertThat(avro(
                        schema(field("d", "\"string\"")),
                        one(schema(field("d", "\"bytes\"")), ByteBuffer.wrap(new byte[] {97}))))
                .containsExactly("a");
        assertThat(avro(schema(field("d", "\"int\"")), one(schema(field("d", "\"long\"")), 7L))
                        .toString())
                .contains("undecodable: field d: long cannot be read as int");
        assertThat(avro(
                        schema(field("d", logical("long", "timestamp-micros"))),
                        one(schema(field("d", logical("long", "timestamp-millis"))), 7L)))
                .containsExactly(Instant.ofEpochMilli(7));
        assertThat(avro(
                                schema(field("d", logical("long", "timestamp-micros"))),
                                one(schema(field("d", logical("long", "local-timestamp-micros"))), 7L))
                        .toString())
                .contains("cannot be read as long (timestamp-micros)");
    }

    @Test
    void missingFieldsTakeDefaultsAndRenamedFieldsTheirAliases() {
        Schema writer = schema(field("old", "\"int\""), field("unread", "[\"null\",\"string\"]"));
        GenericRecord record = new GenericData.Record(writer);
        record.put("old", 4);
        record.put("unread", "x");
        Schema reader = schema(
                "{\"name\":\"new\",\"type\":\"long\",\"aliases\":[\"older\",\"old\"]}",
                field("s", "\"string\"", "\"none\""),
                field("n", "[\"null\",\"int\"]", "null"),
                field("t", logical("long", "timestamp-millis"), "1500"),
                field("d", decimal(5, 2), "\"\\u0001\\u0000\""),
                field("u", "[\"string\",\"null\"]", "\"dflt\""));
        assertThat(avro(reader, record))
                .containsExactly(4L, "none", null, Instant.ofEpochMilli(1500), new BigDecimal("2.56"), "dflt");
        assertThat(avro(schema(field("gone", "\"int\"")), record).toString())
                .contains(
                        "undecodable: field gone is not in the writer schema, and the reader schema gives no default");
    }

    @Test
    void nullsAndUnionsOnEitherSide() {
        for (String union : List.of("[\"null\",\"string\"]", "[\"string\",\"null\"]")) {
            Schema writer = schema(field("d", union));
            assertThat(avro(schema(field("d", "[\"null\",\"string\"]")), one(writer, null)))
                    .containsExactly((Object) null);
            assertThat(avro(schema(field("d", "\"string\"")), one(writer, "x"))).containsExactly("x");
            assertThat(avro(schema(field("d", "\"string\"")), one(writer, null)).toString())
                    .contains("undecodable: field d has no value");
        }
        assertThat(avro(schema(field("d", "[\"null\",\"long\"]")), one(schema(field("d", "\"int\"")), 3)))
                .containsExactly(3L);
        Schema several = schema(field("d", "[\"int\",\"string\"]"));
        assertThat(avro(schema(field("d", "\"long\"")), one(several, 3))).containsExactly(3L);
        assertThat(avro(schema(field("d", "\"long\"")), one(several, "x")).toString())
                .contains("string cannot be read as long");
    }

    @Test
    void enumsGoByTheReadersSymbols() {
        Schema writer = schema(field("d", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}"));
        Schema reader = schema(field("d", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]}"));
        Schema defaulted =
                schema(field("d", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"],\"default\":\"A\"}"));
        GenericRecord b =
                one(writer, new GenericData.EnumSymbol(writer.getField("d").schema(), "B"));
        assertThat(avro(reader, b).toString()).contains("the reader's enum lacks the writer's symbol");
        assertThat(avro(defaulted, b)).containsExactly("A");
        assertThat(avro(schema(field("d", "\"string\"")), b).toString()).contains("enum E cannot be read as string");
    }

    @Test
    void enumsAndFixedTypesMatchByNameWithoutNamespaceAndSize() {
        String written = "{\"type\":\"enum\",\"name\":\"shop.E\",\"symbols\":[\"A\"]}";
        Schema writer = schema(field("d", written));
        GenericRecord record =
                one(writer, new GenericData.EnumSymbol(writer.getField("d").schema(), "A"));
        assertThat(avro(schema(field("d", written.replace("shop.", ""))), record))
                .containsExactly("A");
        assertThat(avro(schema(field("d", "[\"null\"," + written.replace("shop", "store") + "]")), record))
                .containsExactly("A");
        assertThat(avro(schema(field("d", written.replace("shop.E", "Other"))), record)
                        .toString())
                .contains("undecodable: field d: enum shop.E cannot be read as enum Other");
        assertThat(avro(
                        schema(field("d", written.replace("\"shop.E\"", "\"Other\",\"aliases\":[\"shop.E\"]"))),
                        record))
                .containsExactly("A");
        Schema two = schema(field("d", "{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}"));
        Schema three = schema(field("d", "{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}"));
        assertThat(avro(three, one(two, new GenericData.Fixed(two.getField("d").schema(), new byte[2])))
                        .toString())
                .contains("field d: fixed F of 2 bytes cannot be read as fixed F of 3 bytes");
    }

    @Test
    void aliasesOfFieldsHoldForRecordsOfTheSameNameAsInAvro() {
        Schema writer = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"Other\",\"fields\":[" + field("old", "\"int\"") + "]}");
        String renamed = "{\"name\":\"new\",\"type\":\"int\",\"aliases\":[\"old\"]}";
        GenericRecord record = new GenericData.Record(writer);
        record.put("old", 4);
        assertThat(avro(schema(renamed), record).toString())
                .contains(
                        "field new is not in the writer schema, and the reader schema gives no default; its aliases"
                                + " hold for a record named R, and the writer's is named Other: make that an alias of the record");
        Schema aliased = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"R\",\"aliases\":[\"Other\"],\"fields\":[" + renamed + "]}");
        assertThat(avro(aliased, record)).containsExactly(4);
        Schema both = schema(field("old", "\"int\""), field("new", "\"int\""));
        assertThat(avro(schema(renamed), new byte[] {2, 4}, both.toString()).toString())
                .contains("undecodable: the aliases of the reader schema cannot be applied to the writer schema: ");
    }

    @Test
    void timesAreInTheWritersUnit() {
        String[] units = {"millis", "micros"};
        for (String kind : List.of("timestamp", "local-timestamp")) {
            for (String reader : units) {
                Schema read = schema(field("d", logical("long", kind + "-" + reader)));
                assertThat(avro(read, one(schema(field("d", logical("long", kind + "-millis"))), -1L)))
                        .first()
                        .asString()
                        .startsWith("1969-12-31T23:59:59.999");
                assertThat(avro(read, one(schema(field("d", logical("long", kind + "-micros"))), -1L)))
                        .first()
                        .asString()
                        .startsWith("1969-12-31T23:59:59.999999");
                for (long nanos : new long[] {-1, -1000, -999, 1_770_000_000_123_456_789L}) {
                    assertThat(avro(read, one(schema(field("d", logical("long", kind + "-nanos"))), nanos)))
                            .first()
                            .asString()
                            .startsWith(nanos < 0 ? "1969-12-31T23:59:59.999999" : "2026-02-02T02:40:00.123456");
                }
                assertThat(avro(read, one(schema(field("d", "\"long\"")), 1_000_000L)))
                        .first()
                        .asString()
                        .startsWith(reader.equals("micros") ? "1970-01-01T00:00:01" : "1970-01-01T00:16:40");
            }
        }
        Schema time = schema(field("d", logical("long", "time-micros")));
        assertThat(avro(time, one(schema(field("d", logical("int", "time-millis"))), 1001)))
                .containsExactly(LocalTime.parse("00:00:01.001"));
    }

    @Test
    void aLogicalTypeIsNotReadAsOneOfAnotherKind() {
        String[][] pairs = {
            {logical("int", "date"), logical("int", "time-millis")},
            {logical("int", "time-millis"), logical("int", "date")},
            {logical("long", "local-timestamp-millis"), logical("long", "timestamp-millis")},
            {logical("long", "time-micros"), logical("long", "timestamp-micros")},
            {logical("string", "uuid"), decimal(4, 2)},
            {"\"string\"", decimal(4, 2)},
            {decimal(4, 2), logical("string", "uuid")}
        };
        for (String[] pair : pairs) {
            assertThat(avro(
                                    schema(field("d", pair[1])),
                                    pair[0].contains("int") || pair[0].contains("long")
                                            ? new byte[] {2}
                                            : new byte[] {2, 48},
                                    schema(field("d", pair[0])).toString())
                            .toString())
                    .contains("cannot be read as ");
        }
        assertThat(avro(schema(field("d", "\"long\"")), one(schema(field("d", logical("int", "date"))), 7)))
                .containsExactly(7L);
    }

    @Test
    void moreWriterSchemasThanAreKeptAreReadAllTheSame() {
        Schema reader = schema(field("d", "\"int\""));
        dev.tidemark.change.Reading reading = Fixture.row(reader);
        AvroRecordDecoder decoder = new AvroRecordDecoder(reading, reader.toString());
        for (int i = 0; i < 2 * AvroRecordDecoder.MOST_PROGRAMS + 10; i++) {
            Schema writer =
                    schema(field("n" + i % (AvroRecordDecoder.MOST_PROGRAMS + 5), "\"int\""), field("d", "\"int\""));
            assertThat(Fixture.decode(decoder, reading, Fixture.raw(new byte[] {0, 8}, writer.toString())))
                    .containsExactly(4);
        }
    }

    @Test
    void badBytesAreUndecodableAndNothingIsThrown() {
        Schema schema = schema(
                field("b", "\"boolean\""),
                field("s", "\"string\""),
                field("m", "{\"type\":\"map\",\"values\":\"int\"}"),
                field("u", logical("string", "uuid")),
                field("t", logical("long", "timestamp-millis")));
        Schema reader = schema(
                field("b", "\"boolean\""),
                field("s", "\"string\""),
                field("u", logical("string", "uuid")),
                field("t", logical("long", "timestamp-millis")));
        GenericRecord record = new GenericData.Record(schema);
        record.put("b", true);
        record.put("s", "text");
        record.put("m", Map.of("k", 1));
        record.put("u", SOME_UUID.toString());
        record.put("t", 5L);
        byte[] good = Fixture.encoded(record);
        assertThat(avro(reader, record)).containsExactly(true, "text", SOME_UUID, Instant.ofEpochMilli(5));
        for (int length = 0; length < good.length; length++) {
            assertThat(avro(reader, Arrays.copyOf(good, length), schema.toString())
                            .toString())
                    .contains("undecodable: ");
        }
        assertThat(avro(reader, Arrays.copyOf(good, good.length + 1), schema.toString())
                        .toString())
                .contains("1 bytes are left over");
        byte[] flag = good.clone();
        flag[0] = 2;
        assertThat(avro(reader, flag, schema.toString()).toString()).contains("field b: 2 is no boolean");
        byte[] uuid = good.clone();
        uuid[uuid.length - 3] = 'g';
        assertThat(avro(reader, uuid, schema.toString()).toString()).contains("field u: a uuid is expected");
        for (int i = 0; i < good.length; i++) {
            for (int flip : new int[] {1, 0x80, 0x7f, 0xff}) {
                byte[] spoilt = good.clone();
                spoilt[i] ^= (byte) flip;
                avro(reader, spoilt, schema.toString());
            }
        }
        assertThat(avro(reader, good, "{\"type\":\"rec").toString()).contains("the writer schema cannot be read");
        assertThat(avro(reader, good, "\"int\"").toString()).contains("the writer schema is no record but int");
    }

    @Test
    void millisecondsThatDoNotFitAreOutOfRange() {
        Schema schema = schema(field("d", logical("long", "timestamp-millis")));
        assertThat(avro(schema, one(schema, Long.MAX_VALUE / 1000 + 1)).toString())
                .contains("out-of-range: field d");
        assertThat(avro(schema, one(schema, Long.MIN_VALUE)).toString()).contains("out-of-range: field d");
        assertThat(avro(schema, one(schema, Long.MAX_VALUE / 1000)).toString()).doesNotContain("out-of-range");
        Schema time = schema(field("d", logical("int", "time-millis")));
        assertThat(avro(time, one(time, 86_400_000)).toString()).contains("out-of-range: field d");
        assertThat(avro(time, one(time, -1)).toString()).contains("out-of-range: field d");
    }

    private static GenericRecord decimals(Schema schema, BigInteger unscaled) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("d", ByteBuffer.wrap(unscaled.toByteArray()));
        byte[] wide = new byte[20];
        Arrays.fill(wide, (byte) (unscaled.signum() < 0 ? -1 : 0));
        byte[] bytes = unscaled.toByteArray();
        System.arraycopy(bytes, 0, wide, 20 - bytes.length, bytes.length);
        record.put("f", new GenericData.Fixed(schema.getField("f").schema(), wide));
        return record;
    }

    private static GenericRecord one(Schema schema, @Nullable Object value) {
        GenericRecord record = new GenericData.Record(schema);
        record.put("d", value);
        return record;
    }
}
