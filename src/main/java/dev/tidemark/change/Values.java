package dev.tidemark.change;

import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.UUID;

/**
 * Encoded values as Java objects: Boolean, Integer, Long, Float, Double, BigDecimal, String, byte[], LocalDate,
 * LocalTime, Instant, LocalDateTime, UUID. For the places that people see, not for the path of a record.
 */
public final class Values {
    private Values() {}

    public static Object ofFixed(FieldType type, long fixed) {
        return switch (type.kind()) {
            case BOOLEAN -> fixed != 0;
            case INT -> (int) fixed;
            case LONG -> fixed;
            case FLOAT -> (float) Double.longBitsToDouble(fixed);
            case DOUBLE -> Double.longBitsToDouble(fixed);
            case DECIMAL -> BigDecimal.valueOf(fixed, type.scale());
            case DATE -> LocalDate.ofEpochDay(fixed);
            case TIME -> LocalTime.ofNanoOfDay(fixed * 1000);
            case TIMESTAMP -> instant(fixed);
            case LOCAL_TIMESTAMP -> LocalDateTime.ofInstant(instant(fixed), ZoneOffset.UTC);
            case STRING, BYTES, UUID -> throw new IllegalArgumentException(type + " is not fixed");
        };
    }

    public static Object ofBytes(FieldType type, byte[] source, int start, int length) {
        return switch (type.kind()) {
            case STRING -> new String(source, start, length, StandardCharsets.UTF_8);
            case BYTES -> Arrays.copyOfRange(source, start, start + length);
            case UUID -> {
                ByteBuffer buffer = ByteBuffer.wrap(source, start, length);
                yield new UUID(buffer.getLong(), buffer.getLong());
            }
            case DECIMAL -> new BigDecimal(new BigInteger(source, start, length), type.scale());
            default -> throw new IllegalArgumentException(type + " is fixed");
        };
    }

    /** A value as text that people read: ISO-8601 for times, plain digits for decimals, base64 for bytes. */
    public static String text(Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value.toString();
    }

    /** Microseconds since the epoch as an instant. */
    public static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000L);
    }

    /** An instant as microseconds since the epoch, the rest cut off towards the past. */
    public static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1000);
    }
}
