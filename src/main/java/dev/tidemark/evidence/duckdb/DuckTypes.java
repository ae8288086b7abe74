package dev.tidemark.evidence.duckdb;

import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.UUID;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/**
 * How values are held in DuckDB: in types that compare as the contract says. Text and bytes compare by their bytes there,
 * uuid by unsigned bytes; instants are timestamps in UTC; floating-point numbers are doubles. A decimal of more digits than
 * DuckDB has is held as bytes that order as it does.
 */
final class DuckTypes {
    private static final int MOST_DIGITS = 38;

    private DuckTypes() {}

    static String sql(FieldType type) {
        return switch (type.kind()) {
            case BOOLEAN -> "boolean";
            case INT -> "integer";
            case LONG -> "bigint";
            case FLOAT, DOUBLE -> "double";
            case DECIMAL -> isWide(type) ? "blob" : "decimal(" + type.precision() + "," + type.scale() + ")";
            case STRING -> "varchar";
            case BYTES -> "blob";
            case DATE -> "date";
            case TIME -> "time";
            case TIMESTAMP, LOCAL_TIMESTAMP -> "timestamp";
            case UUID -> "uuid";
        };
    }

    private static boolean isWide(FieldType type) {
        return type.kind() == Kind.DECIMAL && type.precision() > MOST_DIGITS;
    }

    /** Appends a value of an encoded row. */
    static void append(DuckDBAppender out, FieldType type, RowLayout.Cursor row, int at) throws SQLException {
        if (row.isNull(at)) {
            out.appendNull();
            return;
        }
        switch (type.kind()) {
            case BOOLEAN -> out.append(row.fixed(at) != 0);
            case INT -> out.append((int) row.fixed(at));
            case LONG -> out.append(row.fixed(at));
            case FLOAT, DOUBLE -> out.append(Double.longBitsToDouble(row.fixed(at)));
            case DECIMAL -> appendDecimal(out, type, new BigDecimal(row.unscaled(at), type.scale()));
            case STRING, BYTES ->
                out.append(Arrays.copyOfRange(row.source(), row.start(at), row.start(at) + row.length(at)));
            case DATE -> out.appendEpochDays((int) row.fixed(at));
            case TIME -> out.appendDayMicros(row.fixed(at));
            case TIMESTAMP, LOCAL_TIMESTAMP -> out.appendEpochMicros(row.fixed(at));
            case UUID -> {
                ByteBuffer bytes = ByteBuffer.wrap(row.source(), row.start(at), row.length(at));
                out.appendUUID(bytes.getLong(), bytes.getLong());
            }
        }
    }

    /** Appends a value as {@link Values} has it. */
    static void append(DuckDBAppender out, FieldType type, @Nullable Object value) throws SQLException {
        if (value == null) {
            out.appendNull();
            return;
        }
        switch (type.kind()) {
            case BOOLEAN -> out.append(((Boolean) value).booleanValue());
            case INT -> out.append(((Number) value).intValue());
            case LONG -> out.append(((Number) value).longValue());
            case FLOAT, DOUBLE -> out.append(((Number) value).doubleValue() + 0.0);
            case DECIMAL -> appendDecimal(out, type, (BigDecimal) value);
            case STRING -> out.append((String) value);
            case BYTES -> out.append((byte[]) value);
            case DATE -> out.append((LocalDate) value);
            case TIME -> out.appendDayMicros(((LocalTime) value).toNanoOfDay() / 1000);
            case TIMESTAMP -> out.appendEpochMicros(Values.micros((Instant) value));
            case LOCAL_TIMESTAMP ->
                out.appendEpochMicros(Values.micros(((LocalDateTime) value).toInstant(ZoneOffset.UTC)));
            case UUID -> out.append((UUID) value);
        }
    }

    private static void appendDecimal(DuckDBAppender out, FieldType type, BigDecimal value) throws SQLException {
        if (isWide(type)) {
            out.append(ordered(type, value.setScale(type.scale()).unscaledValue()));
        } else {
            out.append(value.setScale(type.scale()));
        }
    }

    /** Two's complement in as many bytes as the precision needs, the sign flipped. */
    private static byte[] ordered(FieldType type, BigInteger unscaled) {
        byte[] least = unscaled.toByteArray();
        byte[] bytes = new byte[width(type)];
        Arrays.fill(bytes, 0, bytes.length - least.length, (byte) (unscaled.signum() < 0 ? -1 : 0));
        System.arraycopy(least, 0, bytes, bytes.length - least.length, least.length);
        bytes[0] ^= (byte) 0x80;
        return bytes;
    }

    private static int width(FieldType type) {
        return BigInteger.TEN.pow(type.precision()).bitLength() / 8 + 1;
    }

    /** A value as {@link Values} has it. */
    static @Nullable Object read(ResultSet row, int column, FieldType type) throws SQLException {
        Object value = row.getObject(column);
        if (value == null) {
            return null;
        }
        return switch (type.kind()) {
            case BOOLEAN, LONG, DOUBLE, STRING, DATE, UUID -> value;
            case INT -> ((Number) value).intValue();
            case FLOAT -> ((Number) value).floatValue();
            case DECIMAL -> {
                if (!isWide(type)) {
                    yield value;
                }
                byte[] bytes = row.getBytes(column);
                bytes[0] ^= (byte) 0x80;
                yield new BigDecimal(new BigInteger(bytes), type.scale());
            }
            case BYTES -> row.getBytes(column);
            case TIME -> value;
            case TIMESTAMP -> row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
            case LOCAL_TIMESTAMP -> row.getObject(column, LocalDateTime.class);
        };
    }
}
