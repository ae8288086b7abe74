package dev.tidemark.expression;

import dev.tidemark.change.Draft;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rows with a field of each type, and how they are put into a draft and into PostgreSQL. */
final class TypedRows {
    static final String SCHEMA = """
            {"type": "record", "name": "Row", "fields": [
              {"name": "f", "type": ["null", "boolean"], "default": null},
              {"name": "g", "type": ["null", "boolean"], "default": null},
              {"name": "i", "type": ["null", "int"], "default": null},
              {"name": "j", "type": ["null", "int"], "default": null},
              {"name": "l", "type": ["null", "long"], "default": null},
              {"name": "r", "type": ["null", "float"], "default": null},
              {"name": "d", "type": ["null", "double"], "default": null},
              {"name": "n", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}], "default": null},
              {"name": "w", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 6}], "default": null},
              {"name": "s", "type": ["null", "string"], "default": null},
              {"name": "t", "type": ["null", "string"], "default": null},
              {"name": "u", "type": ["null", {"type": "string", "logicalType": "uuid"}], "default": null},
              {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}], "default": null},
              {"name": "tod", "type": ["null", {"type": "long", "logicalType": "time-micros"}], "default": null},
              {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}], "default": null},
              {"name": "loc", "type": ["null", {"type": "long", "logicalType": "local-timestamp-micros"}], "default": null}]}
            """;

    static final String COLUMNS = "f boolean, g boolean, i integer, j integer, l bigint, r real, d double precision,"
            + " n numeric(10,2), w numeric(30,6), s text collate pg_c_utf8, t text collate pg_c_utf8, u uuid,"
            + " \"day\" date, tod time, at timestamp with time zone, loc timestamp";

    /** One row of literals a line, in the order of the columns; they meet nulls, bounds and each other. */
    static final List<List<@Nullable Object>> ROWS = List.of(
            row(
                    "true",
                    "false",
                    "1",
                    "2",
                    "3",
                    "1.5",
                    "2.25",
                    "10.50",
                    "123.456789",
                    "abc",
                    "ABC",
                    "00000000-0000-0000-0000-000000000001",
                    "2026-01-31",
                    "12:34:56.789012",
                    "2026-01-31T17:00:00.123456Z",
                    "2026-01-31T12:00:00"),
            row(
                    "false",
                    "true",
                    "-7",
                    "2",
                    "-9",
                    "-0.25",
                    "-1.75",
                    "-10.55",
                    "-0.000001",
                    "",
                    "x",
                    "ffffffff-ffff-ffff-ffff-ffffffffffff",
                    "2024-02-29",
                    "00:00:00",
                    "2026-03-08T06:59:59.999999Z",
                    "2026-03-08T02:30:00"),
            row(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
            row(
                    "true",
                    null,
                    "0",
                    "0",
                    "0",
                    "0",
                    "0",
                    "0.00",
                    "0.000000",
                    "ä€😀",
                    "€",
                    null,
                    "1970-01-01",
                    "23:59:59.999999",
                    "1970-01-01T00:00:00Z",
                    "1970-01-01T00:00:00"),
            row(
                    null,
                    "true",
                    "2147483647",
                    "-1",
                    "9223372036854775807",
                    "3.4e38",
                    "1.7e308",
                    "99999999.99",
                    "999999999999999999999999.999999",
                    "  padded  ",
                    "%_\\",
                    "12345678-1234-5678-9abc-123456789abc",
                    "9999-12-31",
                    "06:00:00",
                    "9999-12-31T12:00:00Z",
                    "9999-12-31T23:59:59.999999"),
            row(
                    "false",
                    "false",
                    "-2147483648",
                    "-1",
                    "-9223372036854775808",
                    "-3.4e38",
                    "-1.7e308",
                    "-99999999.99",
                    "-999999999999999999999999.999999",
                    "a%b_c\\d",
                    "a",
                    null,
                    "0001-01-01",
                    "00:00:00.000001",
                    "0001-01-01T12:00:00Z",
                    "0001-01-01T00:00:00"),
            row(
                    "true",
                    "true",
                    "10",
                    "3",
                    "4",
                    "0.1",
                    "0.1",
                    "0.01",
                    "3.000000",
                    "Straße",
                    "straße",
                    null,
                    "2026-11-01",
                    "01:30:00",
                    "2026-11-01T05:30:00Z",
                    "2026-11-01T01:30:00"),
            row(
                    "false",
                    null,
                    "100",
                    "-3",
                    "-100",
                    "1e-30",
                    "1e-300",
                    "1.00",
                    "-2.500000",
                    "42",
                    "-17.5",
                    "00000000-0000-0000-0000-000000000001",
                    "2026-12-28",
                    "12:00:00",
                    "2026-11-01T06:30:00Z",
                    "2025-12-29T10:20:30.5"),
            row(
                    "true",
                    "false",
                    "5",
                    "5",
                    "5",
                    "5",
                    "5",
                    "5.00",
                    "5.000000",
                    "abc",
                    "abc",
                    null,
                    "2021-01-03",
                    "12:34:56.7",
                    "1969-12-31T23:59:59.5Z",
                    "2021-01-03T00:00:00"),
            row(
                    "false",
                    "true",
                    "-1",
                    "100000",
                    "3000000000",
                    "2.5",
                    "3.5",
                    "-0.05",
                    "0.500000",
                    "2026-01-31",
                    "true",
                    null,
                    "1900-03-01",
                    "00:01:00",
                    "1900-03-01T00:00:00Z",
                    "1900-01-01T12:30:00"));

    private TypedRows() {}

    private static List<@Nullable Object> row(@Nullable String... values) {
        List<@Nullable Object> row = new ArrayList<>();
        for (String value : values) {
            row.add(value);
        }
        return java.util.Collections.unmodifiableList(row);
    }

    /** The row as SQL values. */
    static String sql(List<@Nullable Object> row) {
        List<String> values = new ArrayList<>();
        for (Object value : row) {
            values.add(value == null ? "null" : "'" + value.toString().replace("'", "''") + "'");
        }
        return "(" + String.join(", ", values) + ")";
    }

    /** Puts a row into the slots of the fields. */
    static void fill(Draft draft, List<Field> fields, List<@Nullable Object> row) {
        draft.clear();
        for (int slot = 0; slot < row.size(); slot++) {
            Object value = row.get(slot);
            if (value != null) {
                put(draft, slot, fields.get(slot).type(), value.toString());
            }
        }
    }

    private static void put(Draft draft, int slot, FieldType type, String text) {
        switch (type.kind()) {
            case BOOLEAN -> draft.setFixed(slot, text.equals("true") ? 1 : 0);
            case INT, LONG -> draft.setFixed(slot, Long.parseLong(text));
            case FLOAT -> draft.setDouble(slot, Float.parseFloat(text));
            case DOUBLE -> draft.setDouble(slot, Double.parseDouble(text));
            case DECIMAL -> {
                BigDecimal value = new BigDecimal(text).setScale(type.scale());
                if (type.isFixed()) {
                    draft.setFixed(slot, value.unscaledValue().longValueExact());
                } else {
                    bytes(draft, slot, value.unscaledValue().toByteArray());
                }
            }
            case STRING -> bytes(draft, slot, text.getBytes(StandardCharsets.UTF_8));
            case UUID -> {
                UUID uuid = UUID.fromString(text);
                bytes(
                        draft,
                        slot,
                        ByteBuffer.allocate(16)
                                .putLong(uuid.getMostSignificantBits())
                                .putLong(uuid.getLeastSignificantBits())
                                .array());
            }
            case DATE -> draft.setFixed(slot, LocalDate.parse(text).toEpochDay());
            case TIME -> draft.setFixed(slot, LocalTime.parse(text).toNanoOfDay() / 1000);
            case TIMESTAMP -> draft.setFixed(slot, Values.micros(Instant.parse(text)));
            case LOCAL_TIMESTAMP ->
                draft.setFixed(slot, Values.micros(LocalDateTime.parse(text).toInstant(ZoneOffset.UTC)));
            case BYTES -> throw new IllegalArgumentException("no row has bytes");
        }
    }

    private static void bytes(Draft draft, int slot, byte[] bytes) {
        draft.setBytes(slot, bytes, 0, bytes.length);
    }
}
