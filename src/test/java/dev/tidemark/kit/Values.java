package dev.tidemark.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Canonical values: {@link Boolean}; {@link Long} for int and long; {@link Double} for float and double, never -0.0;
 * {@link BigDecimal} at the scale of its type; {@link String}; {@link UUID}; {@link Binary}; {@link LocalDate}; {@link
 * Instant}. Equal values of one type are {@code equals}.
 */
final class Values {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Values() {}

    /** Bytes as lower-case hexadecimal digits, whose order is that of the unsigned bytes. */
    record Binary(String hex) implements Comparable<Binary> {
        static Binary of(byte[] bytes) {
            return new Binary(HexFormat.of().formatHex(bytes));
        }

        @Override
        public int compareTo(Binary other) {
            return hex.compareTo(other.hex);
        }
    }

    /** The order of two values of one type; null is lowest. */
    static int compare(@Nullable Object a, @Nullable Object b) {
        if (a == null || b == null) {
            return Boolean.compare(a != null, b != null);
        }
        if (a instanceof String text) {
            return Arrays.compareUnsigned(
                    text.getBytes(StandardCharsets.UTF_8), ((String) b).getBytes(StandardCharsets.UTF_8));
        }
        if (a instanceof UUID) {
            return a.toString().compareTo(b.toString());
        }
        if (a instanceof Long number) {
            return number.compareTo((Long) b);
        }
        if (a instanceof Double number) {
            return number.compareTo((Double) b);
        }
        if (a instanceof BigDecimal number) {
            return number.compareTo((BigDecimal) b);
        }
        if (a instanceof Boolean bool) {
            return bool.compareTo((Boolean) b);
        }
        if (a instanceof LocalDate date) {
            return date.compareTo((LocalDate) b);
        }
        if (a instanceof Instant instant) {
            return instant.compareTo((Instant) b);
        }
        return ((Binary) a).compareTo((Binary) b);
    }

    /** Lexicographic order of two lists of one layout. */
    static int compareAll(List<? extends @Nullable Object> a, List<? extends @Nullable Object> b) {
        for (int i = 0; i < a.size(); i++) {
            int order = compare(a.get(i), b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Microseconds since 1970; the JDK's own units overflow after 292 years. */
    static long micros(Instant instant) {
        return Math.addExact(Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1000);
    }

    /** The id as text: plain for a single field, else a JSON array. */
    static String recordId(List<Object> id) {
        if (id.size() == 1) {
            return id.get(0).toString();
        }
        List<Object> elements = new ArrayList<>();
        for (Object part : id) {
            elements.add(part instanceof Long || part instanceof Boolean ? part : part.toString());
        }
        try {
            return JSON.writeValueAsString(elements);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
