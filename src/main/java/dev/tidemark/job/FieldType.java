package dev.tidemark.job;

import java.io.Serializable;

/**
 * The type of a source field or of a result column, free of Avro and of SQL dialects.
 *
 * <p>In memory: {@code BOOLEAN} is 0 or 1; {@code INT}, {@code LONG} are themselves; {@code DATE} is days since
 * 1970-01-01; {@code TIME} microseconds of the day; {@code TIMESTAMP} and {@code LOCAL_TIMESTAMP} microseconds since
 * 1970-01-01T00:00 (UTC, or local without a zone); {@code DECIMAL} an unscaled integer at the type's scale; {@code
 * STRING} text without NUL and lone surrogates (Avro enums too); {@code UUID} 16 bytes.
 *
 * @param precision digits of a {@code DECIMAL}, else 0
 * @param scale digits after the point of a {@code DECIMAL}, else 0
 */
public record FieldType(Kind kind, int precision, int scale) implements Serializable {

    /** What a value is, without its parameters. */
    public enum Kind {
        BOOLEAN("boolean"),
        INT("integer"),
        LONG("bigint"),
        FLOAT("real"),
        DOUBLE("double precision"),
        DECIMAL("numeric"),
        STRING("text"),
        BYTES("bytea"),
        DATE("date"),
        TIME("time"),
        TIMESTAMP("timestamp with time zone"),
        LOCAL_TIMESTAMP("timestamp without time zone"),
        UUID("uuid");

        private final String sql;

        Kind(String sql) {
            this.sql = sql;
        }
    }

    /** The greatest precision whose unscaled value always fits a {@code long}. */
    public static final int LONG_DIGITS = 18;

    /** A type without parameters. */
    public static FieldType of(Kind kind) {
        return new FieldType(kind, 0, 0);
    }

    /** An exact decimal. */
    public static FieldType decimal(int precision, int scale) {
        return new FieldType(Kind.DECIMAL, precision, scale);
    }

    /** Whether values travel as eight bytes or less; the others are byte strings of their own length. */
    public boolean isFixed() {
        return switch (kind) {
            case STRING, BYTES, UUID -> false;
            case DECIMAL -> precision <= LONG_DIGITS;
            default -> true;
        };
    }

    public boolean isFloatingPoint() {
        return kind == Kind.FLOAT || kind == Kind.DOUBLE;
    }

    /** The SQL name as PostgreSQL's {@code format_type} prints it, for instance {@code numeric(38,2)}. */
    public String sql() {
        return kind == Kind.DECIMAL ? "numeric(" + precision + "," + scale + ")" : kind.sql;
    }
}
