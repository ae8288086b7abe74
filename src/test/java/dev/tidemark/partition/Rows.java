package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rows of Java objects, encoded, and random ones. */
public final class Rows {
    private static final List<String> WORDS =
            List.of("", "a", "aa", "b", "zebra crossing", "zebra crossinh", "\uFFFD", "\uD83D\uDE00", "Ünïcode");
    private static final double[] DOUBLES = {
        0.0,
        0.1,
        -0.1,
        1e16,
        -1e16,
        Double.MIN_VALUE,
        -Double.MIN_VALUE,
        3e-310,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        1.5
    };

    private Rows() {}

    public static Bytes key(String text) {
        RowLayout layout = RowLayout.ofFields(List.of(Plans.KEY));
        return encode(layout, Arrays.asList(text));
    }

    /** Encodes values as {@link Values} gives them. */
    public static Bytes encode(RowLayout layout, List<? extends @Nullable Object> values) {
        ByteBuilder scratch = new ByteBuilder();
        layout.begin(scratch);
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (value != null) {
                put(layout, scratch, i, layout.types().get(i), value);
            }
        }
        return scratch.build();
    }

    private static void put(RowLayout layout, ByteBuilder scratch, int at, FieldType type, Object value) {
        switch (type.kind()) {
            case BOOLEAN -> layout.putFixed(scratch, at, value.equals(true) ? 1 : 0);
            case INT, LONG -> layout.putFixed(scratch, at, ((Number) value).longValue());
            case FLOAT, DOUBLE -> layout.putFixed(scratch, at, Double.doubleToLongBits(((Number) value).doubleValue()));
            case DECIMAL -> layout.putDecimal(scratch, at, ((BigDecimal) value).unscaledValue());
            case STRING -> putBytes(layout, scratch, at, ((String) value).getBytes(StandardCharsets.UTF_8));
            case BYTES -> putBytes(layout, scratch, at, (byte[]) value);
            case UUID -> putBytes(layout, scratch, at, bytes((UUID) value));
            case TIMESTAMP -> layout.putFixed(scratch, at, Values.micros((Instant) value));
            default -> throw new IllegalArgumentException("No test needs " + type);
        }
    }

    private static void putBytes(RowLayout layout, ByteBuilder scratch, int at, byte[] bytes) {
        layout.putBytes(scratch, at, bytes, 0, bytes.length);
    }

    /** The sixteen bytes of a uuid. */
    public static byte[] bytes(UUID uuid) {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    /** A random row; values are often null, and often equal to those of other rows. */
    public static Map<Field, Object> random(Random random, List<Field> fields) {
        Map<Field, Object> row = new HashMap<>();
        for (Field field : fields) {
            if (random.nextInt(5) != 0) {
                row.put(field, random(random, field.type()));
            }
        }
        return row;
    }

    private static Object random(Random random, FieldType type) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case INT -> random.nextBoolean() ? random.nextInt(5) - 2 : random.nextInt();
            case LONG -> random.nextBoolean() ? (long) random.nextInt(5) - 2 : random.nextLong();
            case FLOAT -> random.nextBoolean() ? 0.1f : Float.intBitsToFloat(random.nextInt(0x7f7f_ffff));
            case DOUBLE ->
                random.nextBoolean()
                        ? DOUBLES[random.nextInt(DOUBLES.length)]
                        : random.nextGaussian() * Math.scalb(1.0, random.nextInt(200) - 100);
            case DECIMAL -> {
                int digits = random.nextInt(type.precision()) + 1;
                BigInteger unscaled = new BigInteger(120, random).mod(BigInteger.TEN.pow(digits));
                yield new BigDecimal(random.nextBoolean() ? unscaled : unscaled.negate(), type.scale());
            }
            case STRING -> WORDS.get(random.nextInt(WORDS.size()));
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(12)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) (random.nextInt(3) - 1);
                }
                yield bytes;
            }
            case UUID -> new UUID(random.nextLong(), random.nextInt(2));
            case TIMESTAMP -> Values.instant(random.nextInt(1000) - 500L);
            default -> throw new IllegalArgumentException("No test needs " + type);
        };
    }
}
