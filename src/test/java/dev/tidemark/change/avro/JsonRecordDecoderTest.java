package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.decimal;
import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.json;
import static dev.tidemark.change.avro.Fixture.logical;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.Reading;
import dev.tidemark.job.Expression;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan.Derived;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRecordDecoderTest {
    private static final String LONG = "\"long\"";

    @Test
    void integersAreIntegralNumbersInRange() {
        assertThat(value("\"int\"", "-2147483648")).isEqualTo(Integer.MIN_VALUE);
        assertThat(value(LONG, "9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThat(value(LONG, "1.0")).isEqualTo(1L);
        assertThat(value(LONG, "12e2")).isEqualTo(1200L);
        assertThat(value(LONG, "-0")).isEqualTo(0L);
        for (String bad :
                List.of("1.5", "9223372036854775808", "1e999999999", "1e-999999999", "\"1\"", "true", "[1]", "{}")) {
            assertThat(rejection(LONG, bad)).startsWith("undecodable: field v: a long is expected, found ");
        }
        assertThat(rejection("\"int\"", "2147483648")).contains("an int is expected, found 2147483648");
    }

    @Test
    void decimalsAreExactAndNeverRounded() {
        String type = decimal(5, 2);
        assertThat(value(type, "1.1")).isEqualTo(new BigDecimal("1.10"));
        assertThat(value(type, "-999.99")).isEqualTo(new BigDecimal("-999.99"));
        assertThat(value(type, "\"1.500\"")).isEqualTo(new BigDecimal("1.50"));
        assertThat(value(type, "1e2")).isEqualTo(new BigDecimal("100.00"));
        assertThat(value(type, "0e-999999")).isEqualTo(new BigDecimal("0.00"));
        assertThat(value(decimal(18, 3), "123456789012345.678")).isEqualTo(new BigDecimal("123456789012345.678"));
        assertThat(value(decimal(38, 2), "\"-123456789012345678901234567890123456.78\""))
                .isEqualTo(new BigDecimal("-123456789012345678901234567890123456.78"));
        assertThat(rejection(type, "1000")).contains("more digits than decimal(5, 2) holds");
        assertThat(rejection(type, "1e999999999")).contains("more digits than decimal(5, 2) holds");
        assertThat(rejection(type, "0.001")).contains("more than 2 digits after the point");
        assertThat(rejection(type, "1e-999999999")).contains("more than 2 digits after the point");
        for (String bad :
                List.of("\"\"", "\"x\"", "\"1,5\"", "\"NaN\"", "\"0x1\"", "\"\u0661\"", "\"1e99999999999\"")) {
            assertThat(rejection(type, bad)).contains("a decimal is expected, found");
        }
        assertThat(rejection(type, "true")).contains("a decimal, as number or string, is expected, found a boolean");
    }

    @Test
    void timesAreNumbersInTheSchemasUnitOrIsoText() {
        String millis = logical("long", "timestamp-millis");
        String micros = logical("long", "timestamp-micros");
        Instant expected = Instant.parse("2026-03-01T10:15:30.123Z");
        assertThat(value(millis, "" + expected.toEpochMilli())).isEqualTo(expected);
        assertThat(value(micros, expected.toEpochMilli() + "000")).isEqualTo(expected);
        for (String text : List.of(
                "2026-03-01T10:15:30.123Z",
                "2026-03-01T10:15:30.123000000000Z",
                "2026-03-01T16:00:30.123+05:45",
                "2026-03-01T08:15:30.123-0200",
                "2026-03-01T11:15:30.123+01")) {
            assertThat(value(millis, "\"" + text + "\"")).isEqualTo(expected);
            assertThat(value(micros, "\"" + text + "\"")).isEqualTo(expected);
        }
        assertThat(value(micros, "\"1969-12-31T23:59:59.999999Z\""))
                .isEqualTo(Instant.parse("1969-12-31T23:59:59.999999Z"));
        assertThat(value(micros, "\"2026-03-01T10:15Z\"")).isEqualTo(Instant.parse("2026-03-01T10:15:00Z"));
        assertThat(value(micros, "\"+12026-03-01T10:15:00Z\"")).isEqualTo(Instant.parse("+12026-03-01T10:15:00Z"));
        assertThat(rejection(millis, "\"2026-03-01T10:15:30.1234Z\"")).contains("more than 3 digits of a second");
        assertThat(rejection(micros, "\"2026-03-01T10:15:30.1234567Z\"")).contains("more than 6 digits of a second");
        assertThat(rejection(micros, "\"2026-03-01T10:15:30\"")).contains("has no offset from UTC");
        for (String bad : List.of(
                "2026-02-29T10:15:30Z",
                "2026-03-01",
                "2026-03-01T24:00:00Z",
                "2026-03-01T10:15:60Z",
                "2026-03-01T10:15:30.Z",
                "2026-03-01 10:15:30Z",
                "2026-03-01T10:15:30+19:00",
                "2026-03-01T10:15:30Zx",
                "",
                "noon")) {
            assertThat(rejection(micros, "\"" + bad + "\""))
                    .startsWith("undecodable: field v: ")
                    .contains("expected");
        }
        assertThat(rejection(millis, "9223372036854775807")).startsWith("out-of-range: field v");
        assertThat(rejection(micros, "\"+999999999-03-01T10:15:00Z\"")).startsWith("out-of-range: field v");
        assertThat(rejection(micros, "1.5")).startsWith("undecodable: ");

        assertThat(value(logical("long", "local-timestamp-micros"), "\"2026-03-01T10:15:30.5\""))
                .isEqualTo(LocalDateTime.parse("2026-03-01T10:15:30.5"));
        assertThat(rejection(logical("long", "local-timestamp-micros"), "\"2026-03-01T10:15:30Z\""))
                .contains("without offset");
        assertThat(value(logical("int", "date"), "\"1969-12-31\"")).isEqualTo(LocalDate.of(1969, 12, 31));
        assertThat(value(logical("int", "date"), "-1")).isEqualTo(LocalDate.of(1969, 12, 31));
        assertThat(rejection(logical("int", "date"), "\"2026-13-01\"")).contains("an ISO-8601 date is expected");
        assertThat(value(logical("int", "time-millis"), "\"10:15:30.123\"")).isEqualTo(LocalTime.parse("10:15:30.123"));
        assertThat(value(logical("int", "time-millis"), "1001")).isEqualTo(LocalTime.parse("00:00:01.001"));
        assertThat(value(logical("long", "time-micros"), "1")).isEqualTo(LocalTime.parse("00:00:00.000001"));
        assertThat(rejection(logical("int", "time-millis"), "86400000")).startsWith("out-of-range: ");
    }

    @Test
    void otherTypesTakeOnlyTheirOwnForm() {
        assertThat(value("\"boolean\"", "true")).isEqualTo(true);
        assertThat(rejection("\"boolean\"", "1")).contains("true or false is expected, found a number");
        assertThat(value("\"bytes\"", "\"AP8=\"")).isEqualTo("00ff");
        assertThat(rejection("\"bytes\"", "\"*\"")).contains("bytes in base64 is expected");
        String fixed = "{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}";
        assertThat(value(fixed, "\"AP8=\"")).isEqualTo("00ff");
        assertThat(rejection(fixed, "\"AA==\"")).contains("2 bytes in base64 is expected, found AA==");
        assertThat(value("\"double\"", "0.1")).isEqualTo(0.1);
        assertThat(value("\"double\"", "1e400")).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(value("\"double\"", "\"NaN\"")).isEqualTo(Double.NaN);
        assertThat(value("\"float\"", "\"-Infinity\"")).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(rejection("\"double\"", "\"1\"")).contains("a number is expected, found 1");
        assertThat(rejection("\"double\"", "NaN")).startsWith("undecodable: no valid JSON");
        String uuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
        assertThat(value(logical("string", "uuid"), "\"" + uuid + "\"")).isEqualTo(UUID.fromString(uuid));
        assertThat(rejection(logical("string", "uuid"), "\"f81d4fae\"")).contains("a uuid is expected");
        String colours = "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"RED\"]}";
        assertThat(value(colours, "\"RED\"")).isEqualTo("RED");
        assertThat(rejection(colours, "\"red\"")).contains("one of [RED] is expected, found red");
        assertThat(rejection("\"string\"", "1")).contains("a string is expected, found a number");
    }

    @Test
    void stringsBecomeUtf8AndALoneSurrogateStaysVisible() {
        assertThat(value("\"string\"", "\"a\\n\\u00e9\u00e9\uD83D\uDE00\\ud83d\\ude00\""))
                .isEqualTo("a\n\u00e9\u00e9\uD83D\uDE00\uD83D\uDE00");
        Schema schema = schema(field("v", "\"string\""));
        Reading reading = Fixture.row(schema);
        dev.tidemark.change.Draft draft = new dev.tidemark.change.Draft(1);
        new JsonRecordDecoder(reading, schema.toString())
                .decode(Fixture.raw("{\"v\":\"x\\ud83d\\u0000\"}".getBytes(StandardCharsets.UTF_8), null), draft);
        assertThat(java.util.Arrays.copyOfRange(draft.bytes(0), draft.start(0), draft.start(0) + draft.length(0)))
                .containsExactly('x', 0xed, 0xa0, 0xbd, 0);
    }

    @Test
    void manyLongStringsOfOneRecordStayApart() {
        Schema schema = schema(field("a", "\"string\""), field("b", "\"string\""), field("c", "\"string\""));
        String a = "a".repeat(3000);
        String b = "b".repeat(100_000);
        assertThat(json(schema, "{\"a\":\"" + a + "\",\"b\":\"" + b + "\",\"c\":\"c\"}"))
                .containsExactly(a, b, "c");
    }

    @Test
    void whatIsNoSingleJsonObjectIsUndecodable() {
        Schema schema = schema(field("v", LONG));
        for (String bad : List.of(
                "",
                "[]",
                "1",
                "null",
                "{",
                "{\"v\":1",
                "{\"v\":1}x",
                "{\"v\":1}{}",
                "{\"v\":1,}",
                "{v:1}",
                "{\"v\":01}",
                "{\"v\":1,\"x\":\"\u0001\"}",
                "{\"v\":1,\"v\":1}",
                "{\"v\":1,\"x\":[1}",
                "\u0000{\"v\":1}")) {
            assertThat(json(schema, bad).toString()).as(bad).contains("undecodable: ");
        }
        byte[] invalid = "{\"v\":1,\"x\":\"?\"}".getBytes(StandardCharsets.UTF_8);
        invalid[12] = (byte) 0xc3;
        assertThat(json(Fixture.row(schema), schema, invalid).toString()).contains("undecodable: no valid JSON");
        assertThat(json(schema, " {\"x\":{\"v\":[2]},\"v\":1,\"y\":[[]],\"x\":null} "))
                .containsExactly(1L);
    }

    @Test
    void missingMembersTakeDefaultsOrAreNullOrUndecodable() {
        Schema schema = schema(
                field("n", "[\"null\",\"int\"]"),
                field("d", "\"string\"", "\"dflt\""),
                field("u", "[\"int\",\"null\"]", "7"));
        assertThat(json(schema, "{}")).containsExactly(null, "dflt", 7);
        assertThat(json(schema, "{\"n\":null,\"d\":\"x\",\"u\":null}")).containsExactly(null, "x", null);
        assertThat(json(schema, "{\"d\":null}").toString()).contains("undecodable: field d has no value");
        assertThat(json(schema(field("v", LONG)), "{}").toString()).contains("undecodable: field v has no value");
    }

    @Test
    void rolesMayBeEmptyAndDeletesNeedNoValues() {
        Schema schema = schema(
                field("id", LONG),
                field("key", "\"string\""),
                field("at", logical("long", "timestamp-millis")),
                field("op", "\"string\""),
                field("price", LONG),
                field("due", logical("long", "timestamp-millis")));
        List<Field> fields = new ArrayList<>(Fixture.fields(schema));
        Derived isDelete = new Derived(
                new Field("delete", FieldType.of(FieldType.Kind.BOOLEAN)), Expression.equalsText(fields.get(3), "d"));
        fields.add(isDelete.field());
        Reading reading = new Reading(
                fields, 6, List.of(isDelete), List.of(0), List.of(), List.of(1), List.of(1, 4, 5), 2, -1, 6, -1);
        assertThat(decode(reading, schema, "{\"op\":\"u\",\"price\":1,\"due\":0}"))
                .containsExactly(null, null, null, "u", 1L, Instant.EPOCH);
        assertThat(decode(reading, schema, "{\"op\":\"u\",\"due\":0}").toString())
                .contains("undecodable: field price has no value");
        assertThat(decode(reading, schema, "{\"op\":\"d\",\"id\":3,\"price\":null}"))
                .containsExactly(3L, null, null, "d", null, null);
        assertThat(decode(reading, schema, "{\"price\":1,\"due\":0}").toString())
                .contains("undecodable: field op has no value");
        assertThat(decode(reading, schema, "{\"op\":\"d\",\"id\":3,\"price\":{\"not\":[\"a\",\"price\"]},\"due\":0}"))
                .containsExactly(3L, null, null, "d", null, Instant.EPOCH);
        assertThat(decode(reading, schema, "{\"op\":\"u\",\"price\":\"x\",\"due\":0}")
                        .toString())
                .contains("undecodable: field price");
        assertThat(decode(reading, schema, "{\"op\":\"d\",\"id\":\"x\"}").toString())
                .contains("undecodable: field id");
        String never = "9223372036854775807";
        assertThat(decode(reading, schema, "{\"op\":\"u\",\"price\":1,\"due\":" + never + "}")
                        .toString())
                .contains("out-of-range: ");
        assertThat(decode(reading, schema, "{\"op\":\"d\",\"due\":" + never + "}")
                        .toString())
                .doesNotContain("out-of-range: ");
        assertThat(decode(reading, schema, "{\"op\":\"d\",\"at\":" + never + "}")
                        .toString())
                .contains("out-of-range: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"int\"", "\"long\""})
    void aNumberBeyondAllBoundsIsNoInteger(String type) {
        assertThat(rejection(type, "6e4088461105931")).startsWith("undecodable: field v: ");
        assertThat(rejection(type, "6e999999999")).startsWith("undecodable: field v: ");
    }

    private static List<@Nullable Object> decode(Reading reading, Schema schema, String text) {
        return json(reading, schema, text.getBytes(StandardCharsets.UTF_8));
    }

    private static @Nullable Object value(String type, String text) {
        return json(schema(field("v", type)), "{\"v\":" + text + "}").get(0);
    }

    private static String rejection(String type, String text) {
        return String.valueOf(value(type, text));
    }
}
