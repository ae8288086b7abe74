package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bytes of each type, as plain Avro has written them once and writes them still, and what they are read as. */
class GoldenBytesTest {
    private static final Map<String, String> TYPES = Map.ofEntries(
            Map.entry("fixed", "{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}"),
            Map.entry("enum", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}"),
            Map.entry("date", Fixture.logical("int", "date")),
            Map.entry("time-millis", Fixture.logical("int", "time-millis")),
            Map.entry("time-micros", Fixture.logical("long", "time-micros")),
            Map.entry("timestamp-millis", Fixture.logical("long", "timestamp-millis")),
            Map.entry("timestamp-micros", Fixture.logical("long", "timestamp-micros")),
            Map.entry("local-timestamp-millis", Fixture.logical("long", "local-timestamp-millis")),
            Map.entry("local-timestamp-micros", Fixture.logical("long", "local-timestamp-micros")),
            Map.entry("decimal-bytes", Fixture.decimal(5, 2)),
            Map.entry("decimal-wide", Fixture.decimal(38, 0)),
            Map.entry(
                    "decimal-fixed",
                    "{\"type\":\"fixed\",\"name\":\"F\",\"size\":4,\"logicalType\":\"decimal\",\"precision\":9,\"scale\":3}"),
            Map.entry("uuid-string", Fixture.logical("string", "uuid")),
            Map.entry("uuid-fixed", "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}"),
            Map.entry("null-or-long", "[\"null\",\"long\"]"),
            Map.entry("string-or-null", "[\"string\",\"null\"]"));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            boolean                | true                  | 01 | true
            boolean                | false                 | 00 | false
            int                    | 0                     | 00 | 0
            int                    | -2147483648           | ffffffff0f | -2147483648
            int                    | 2147483647            | feffffff0f | 2147483647
            long                   | -1                    | 01 | -1
            long                   | -9223372036854775808  | ffffffffffffffffff01 | -9223372036854775808
            long                   | 9223372036854775807   | feffffffffffffffff01 | 9223372036854775807
            float                  | "-0.0"                | 00000080 | 0.0
            float                  | "NaN"                 | 0000c07f | NaN
            float                  | "-3.4028235E38"       | ffff7fff | -3.4028235E38
            float                  | "1.4E-45"             | 01000000 | 1.4E-45
            double                 | "-0.0"                | 0000000000000080 | 0.0
            double                 | "NaN"                 | 000000000000f87f | NaN
            double                 | "4.9E-324"            | 0100000000000000 | 4.9E-324
            double                 | "-Infinity"           | 000000000000f0ff | -Infinity
            string                 | ""                    | 00 | ``
            string                 | "h\\u00e9\\ud83d\\ude00" | 0e68c3a9f09f9880 | h\u00e9\ud83d\ude00
            bytes                  | "\\u0000\\u00ff"      | 0400ff | 00ff
            fixed                  | "\\u0001\\u0080"      | 0180 | 0180
            enum                   | "B"                   | 02 | B
            date                   | -1                    | 01 | 1969-12-31
            date                   | -719162               | f3e457 | 0001-01-01
            date                   | 2932896               | c082e602 | 9999-12-31
            time-millis            | 0                     | 00 | 00:00
            time-millis            | 86399999              | feefb252 | 23:59:59.999
            time-micros            | 123456                | 80890f | 00:00:00.123456
            time-micros            | 86399999999           | feffbadd8305 | 23:59:59.999999
            timestamp-millis       | -1                    | 01 | 1969-12-31T23:59:59.999Z
            timestamp-millis       | -62135596800000       | ffdfe6a2e2a01c | 0001-01-01T00:00:00Z
            timestamp-millis       | 253402300799999       | feeffea1fa9d73 | 9999-12-31T23:59:59.999Z
            timestamp-micros       | -1                    | 01 | 1969-12-31T23:59:59.999999Z
            timestamp-micros       | -123456               | ff880f | 1969-12-31T23:59:59.876544Z
            timestamp-micros       | 1770000000123456      | 808994d4c7f3a406 | 2026-02-02T02:40:00.123456Z
            timestamp-micros       | -62135596800000000    | ffffddf2dfffdfdc01 | 0001-01-01T00:00:00Z
            timestamp-micros       | 253402300799999999    | feff9ac79983a28407 | 9999-12-31T23:59:59.999999Z
            local-timestamp-millis | -1                    | 01 | 1969-12-31T23:59:59.999
            local-timestamp-micros | 1770000000123456      | 808994d4c7f3a406 | 2026-02-02T02:40:00.123456
            local-timestamp-micros | -123456               | ff880f | 1969-12-31T23:59:59.876544
            decimal-bytes          | "\\u00cf\\u00c7"      | 04cfc7 | -123.45
            decimal-bytes          | "\\u0000"             | 0200 | 0.00
            decimal-bytes          | "\\u0001\\u0086\\u009f" | 0601869f | 999.99
            decimal-wide           | "\\u00b4\\u00c4\\u00b3W\\u00a5y;\\u0085\\u00f6u\\u00dd\\u00c0\\u0000\\u0000\\u0000\\u0001" | 20b4c4b357a5793b85f675ddc000000001 | -99999999999999999999999999999999999999
            decimal-fixed          | "\\u00ff\\u00ff\\u00ff\\u00ff" | ffffffff | -0.001
            decimal-fixed          | "\\u0000\\u0001\\u00e2@" | 0001e240 | 123.456
            uuid-string            | "f81d4fae-7dec-11d0-a765-00a0c91e6bf6" | 4866383164346661652d376465632d313164302d613736352d303061306339316536626636 | f81d4fae-7dec-11d0-a765-00a0c91e6bf6
            uuid-fixed             | "\\u00f8\\u001dO\\u00ae}\\u00ec\\u0011\\u00d0\\u00a7e\\u0000\\u00a0\\u00c9\\u001ek\\u00f6" | f81d4fae7dec11d0a76500a0c91e6bf6 | f81d4fae-7dec-11d0-a765-00a0c91e6bf6
            null-or-long           | null                  | 00 | null
            null-or-long           | -123456               | 02ff880f | -123456
            string-or-null         | null                  | 02 | null
            string-or-null         | "x"                   | 000278 | x
            """)
    void areWhatPlainAvroWritesAndReadAsWhatTheyMean(String type, String json, String hex, String value) {
        Schema schema = schema(
                field("before", "\"string\""),
                field("v", TYPES.getOrDefault(type, "\"" + type + "\"")),
                field("after", "\"int\""));
        GenericRecord record = new GenericData.Record(schema);
        record.put("before", "b");
        record.put("v", AvroJson.datum(schema.getField("v").schema(), json));
        record.put("after", -1);

        byte[] written = Fixture.encoded(record);
        assertThat(HexFormat.of().formatHex(written, 2, written.length - 1)).isEqualTo(hex);

        byte[] golden = HexFormat.of().parseHex("0262" + hex + "01");
        List<?> read = Fixture.avro(schema, golden, null);
        assertThat(String.valueOf(read.get(1))).isEqualTo(value);
        assertThat(read).element(0).isEqualTo("b");
        assertThat(read).element(2).isEqualTo(-1);
    }
}
