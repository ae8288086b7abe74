package dev.tidemark.change.avro;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.jspecify.annotations.Nullable;

/**
 * Pairs of a writer's and a reader's schema as time makes them: fields added, removed, moved, renamed with an alias or
 * without, made wider or narrower, put into unions; and data for them. What the reader has, a job can read.
 */
final class SchemaPairs {
    private static final List<Schema.Type> PLAIN = List.of(
            Schema.Type.BOOLEAN,
            Schema.Type.INT,
            Schema.Type.LONG,
            Schema.Type.FLOAT,
            Schema.Type.DOUBLE,
            Schema.Type.STRING,
            Schema.Type.BYTES);
    private static final int DEEPEST = 3;

    private final Random random;
    private int names;

    SchemaPairs(Random random) {
        this.random = random;
    }

    /** One schema as its writer and as its reader have it. */
    record Pair(Schema writer, Schema reader) {}

    Pair next() {
        names = 0;
        Pair pair = record(0);
        return new Pair(written(pair.writer()), written(pair.reader()));
    }

    // ---- schemas

    /** As it comes back from its JSON. */
    private static Schema written(Schema schema) {
        return new Schema.Parser().parse(schema.toString());
    }

    private Pair record(int depth) {
        Pair pair = named(name -> Schema.createRecord(name, null, null, false));
        List<Schema.Field> written = new ArrayList<>();
        List<Schema.Field> read = new ArrayList<>();
        int fields = 1 + random.nextInt(depth == 0 ? 5 : 3);
        for (int i = 0; i < fields; i++) {
            String name = "f" + i;
            Pair type = field(depth);
            boolean isRenamed = chance(0.15);
            Schema.Field reader =
                    new Schema.Field(name, type.reader(), null, chance(0.4) ? fallback(type.reader()) : null);
            if (isRenamed && chance(0.8)) {
                reader.addAlias("old_" + name);
            }
            read.add(reader);
            if (!chance(0.12)) {
                written.add(new Schema.Field(isRenamed ? "old_" + name : name, type.writer()));
            }
        }
        for (int i = random.nextInt(3); i > 0; i--) {
            written.add(new Schema.Field("more" + i, unread()));
        }
        Collections.shuffle(written, random);
        pair.writer().setFields(written);
        pair.reader().setFields(read);
        return pair;
    }

    /** Whether Avro might read any such value as one of a logical type, which it then need not be. */
    private static boolean isPlain(Schema schema) {
        return PLAIN.contains(schema.getType());
    }

    /** A type of both, each in a union or not. */
    private Pair field(int depth) {
        Pair pair = depth < DEEPEST && chance(0.25) ? record(depth + 1) : value();
        Schema reader = switch (random.nextInt(4)) {
            case 0 -> Schema.createUnion(Schema.create(Schema.Type.NULL), pair.reader());
            case 1 -> Schema.createUnion(pair.reader(), Schema.create(Schema.Type.NULL));
            case 2 -> Schema.createUnion(pair.reader());
            default -> pair.reader();
        };
        if (chance(0.5)) {
            return new Pair(pair.writer(), reader);
        }
        List<Schema> branches = new ArrayList<>(List.of(pair.writer()));
        Set<Schema.Type> taken = new HashSet<>(Set.of(pair.writer().getType()));
        for (int i = random.nextInt(3); i >= 0; i--) {
            Schema branch = chance(0.6) ? Schema.create(Schema.Type.NULL) : unread();
            if (branch.getType() != Schema.Type.UNION
                    && (pair.reader().getLogicalType() == null || !isPlain(branch))
                    && taken.add(branch.getType())) {
                branches.add(branch);
            }
        }
        Collections.shuffle(branches, random);
        return new Pair(Schema.createUnion(branches), reader);
    }

    private Pair value() {
        return switch (random.nextInt(5)) {
            case 0 -> logical();
            case 1 -> enums();
            case 2 -> fixed();
            default -> {
                Schema.Type reader = pick(PLAIN);
                Schema.Type writer = chance(0.5) ? reader : pick(PLAIN);
                yield new Pair(Schema.create(writer), Schema.create(reader));
            }
        };
    }

    private Pair enums() {
        List<String> symbols = new ArrayList<>(List.of("A", "B", "C", "D"));
        Collections.shuffle(symbols, random);
        List<String> writers = symbols.subList(0, 1 + random.nextInt(4));
        Collections.shuffle(symbols, random);
        List<String> readers = List.copyOf(symbols.subList(0, 2 + random.nextInt(3)));
        String fallback = chance(0.3) ? readers.get(0) : null;
        List<String> written = List.copyOf(writers);
        boolean[] isReader = {false};
        return named(name -> {
            Schema schema = isReader[0]
                    ? Schema.createEnum(name, null, null, readers, fallback)
                    : Schema.createEnum(name, null, null, written);
            isReader[0] = true;
            return schema;
        });
    }

    private Pair fixed() {
        int size = random.nextInt(4);
        int other = chance(0.15) ? size + 1 : size;
        boolean[] isReader = {false};
        return named(name -> {
            Schema schema = Schema.createFixed(name, null, null, isReader[0] ? other : size);
            isReader[0] = true;
            return schema;
        });
    }

    /** The writer says the logical type too, or is silent where all its data are of it. */
    private Pair logical() {
        return switch (random.nextInt(9)) {
            case 0 -> same(LogicalTypes.date(), Schema.Type.INT, chance(0.3));
            case 1 -> same(LogicalTypes.timeMillis(), Schema.Type.INT, false);
            case 2 -> same(LogicalTypes.timeMicros(), Schema.Type.LONG, false);
            case 3 -> same(LogicalTypes.timestampMillis(), Schema.Type.LONG, chance(0.3));
            case 4 -> same(LogicalTypes.timestampMicros(), Schema.Type.LONG, chance(0.3));
            case 5 -> same(LogicalTypes.localTimestampMillis(), Schema.Type.LONG, chance(0.3));
            case 6 -> same(LogicalTypes.localTimestampMicros(), Schema.Type.LONG, chance(0.3));
            case 7 -> same(LogicalTypes.uuid(), Schema.Type.STRING, false);
            default -> {
                int precision = 1 + random.nextInt(30);
                int scale = random.nextInt(precision + 1);
                if (chance(0.5)) {
                    yield same(LogicalTypes.decimal(precision, scale), Schema.Type.BYTES, false);
                }
                yield named(name ->
                        LogicalTypes.decimal(precision, scale).addToSchema(Schema.createFixed(name, null, null, 14)));
            }
        };
    }

    private static Pair same(org.apache.avro.LogicalType logical, Schema.Type type, boolean isSilent) {
        Schema writer = Schema.create(type);
        return new Pair(isSilent ? writer : logical.addToSchema(writer), logical.addToSchema(Schema.create(type)));
    }

    /** Makes a named type. */
    private interface Naming {
        Schema make(String name);
    }

    /** The writer's first. The reader may have another name for it, with an alias or without. */
    private Pair named(Naming naming) {
        String name = "N" + names++;
        Schema writer = naming.make(name);
        boolean isRenamed = chance(0.2);
        Schema reader = naming.make(isRenamed ? "Re" + name : name);
        if (isRenamed && chance(0.7)) {
            reader.addAlias(writer.getName());
        }
        return new Pair(writer, reader);
    }

    /** A type that the reader does not have. */
    private Schema unread() {
        return switch (random.nextInt(9)) {
            case 0 -> Schema.createArray(unread());
            case 1 -> Schema.createMap(unread());
            case 2 -> {
                Schema record = Schema.createRecord("U" + names++, null, null, false);
                record.setFields(List.of(
                        new Schema.Field("x", Schema.create(Schema.Type.DOUBLE)),
                        new Schema.Field("z", Schema.create(Schema.Type.BOOLEAN)),
                        new Schema.Field("next", Schema.createUnion(Schema.create(Schema.Type.NULL), record))));
                yield record;
            }
            case 3 -> Schema.createUnion(Schema.create(Schema.Type.STRING), Schema.create(Schema.Type.NULL));
            default -> Schema.create(pick(PLAIN));
        };
    }

    /** A default as JSON would have it. */
    private Object fallback(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> JsonProperties.NULL_VALUE;
            case UNION -> fallback(schema.getTypes().get(0));
            case RECORD -> {
                Map<String, Object> values = new HashMap<>();
                schema.getFields().forEach(field -> values.put(field.name(), fallback(field.schema())));
                yield values;
            }
            case FIXED, BYTES -> {
                ByteBuffer bytes = schema.getType() == Schema.Type.FIXED
                        ? ByteBuffer.wrap(((GenericData.Fixed) datum(schema)).bytes())
                        : (ByteBuffer) datum(schema);
                yield new String(bytes.array(), StandardCharsets.ISO_8859_1);
            }
            case ENUM, STRING -> datum(schema).toString();
            case FLOAT -> random.nextFloat();
            case DOUBLE -> random.nextGaussian();
            default -> datum(schema);
        };
    }

    // ---- data

    Object datum(Schema schema) {
        Object value = maybe(schema, 0);
        return value == null ? JsonProperties.NULL_VALUE : value;
    }

    private @Nullable Object maybe(Schema schema, int depth) {
        return switch (schema.getType()) {
            case NULL -> null;
            case BOOLEAN -> random.nextBoolean();
            case INT ->
                schema.getLogicalType() instanceof LogicalTypes.TimeMillis
                        ? random.nextInt(86_400_000)
                        : random.nextInt() >> random.nextInt(32);
            case LONG ->
                schema.getLogicalType() instanceof LogicalTypes.TimeMicros
                        ? (Object) (random.nextInt(86_400_000) * 1000L + random.nextInt(1000))
                        : (Object) (random.nextLong() >> (11 + random.nextInt(53)));
            case FLOAT -> pick(List.of(0f, -0f, Float.NaN, Float.MIN_VALUE, -1.5f, random.nextFloat()));
            case DOUBLE -> pick(List.of(0.0, -0.0, Double.NaN, Double.MAX_VALUE, -1.5, random.nextGaussian()));
            case STRING ->
                schema.getLogicalType() == null
                        ? pick(List.of("", "a", "\u00e9\uD83D\uDE00", "x".repeat(random.nextInt(300))))
                        : new UUID(random.nextLong(), random.nextLong()).toString();
            case BYTES -> ByteBuffer.wrap(bytes(schema, random.nextInt(12)));
            case FIXED -> new GenericData.Fixed(schema, bytes(schema, schema.getFixedSize()));
            case ENUM -> new GenericData.EnumSymbol(schema, pick(schema.getEnumSymbols()));
            case UNION -> maybe(depth > 4 ? schema.getTypes().get(0) : pick(schema.getTypes()), depth + 1);
            case ARRAY -> {
                List<@Nullable Object> items = new ArrayList<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.add(maybe(schema.getElementType(), depth + 1));
                }
                yield items;
            }
            case MAP -> {
                Map<String, @Nullable Object> items = new HashMap<>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.put("k" + i, maybe(schema.getValueType(), depth + 1));
                }
                yield items;
            }
            case RECORD -> {
                GenericData.Record record = new GenericData.Record(schema);
                for (Schema.Field field : schema.getFields()) {
                    record.put(field.pos(), maybe(field.schema(), depth + 1));
                }
                yield record;
            }
        };
    }

    private byte[] bytes(Schema schema, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        if (!(schema.getLogicalType() instanceof LogicalTypes.Decimal decimal)) {
            return bytes;
        }
        BigInteger unscaled = new BigInteger(100, random).mod(BigInteger.TEN.pow(decimal.getPrecision()));
        byte[] least = (random.nextBoolean() ? unscaled : unscaled.negate()).toByteArray();
        if (schema.getType() == Schema.Type.BYTES) {
            return least;
        }
        Arrays.fill(bytes, (byte) (least[0] < 0 ? -1 : 0));
        System.arraycopy(least, 0, bytes, length - least.length, least.length);
        return bytes;
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
