package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.decimal;
import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.logical;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class EquivalenceTest {
    private static final Schema SCHEMA = schema(
            field("b", "\"boolean\""),
            field("i", "\"int\""),
            field("l", "[\"null\",\"long\"]"),
            field("f", "\"float\""),
            field("d", "\"double\""),
            field("s", "\"string\""),
            field("y", "\"bytes\""),
            field("n", decimal(12, 3)),
            field("w", decimal(30, 4)),
            field("t", logical("long", "timestamp-millis")),
            field("u", logical("long", "timestamp-micros")),
            field("a", logical("int", "date")),
            field("g", logical("string", "uuid")),
            field("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"RED\",\"BLUE\"]}"),
            field("x", "{\"type\":\"fixed\",\"name\":\"X\",\"size\":3}"),
            field("tm", logical("int", "time-millis")),
            field("tu", logical("long", "time-micros")),
            field("lm", logical("long", "local-timestamp-millis")),
            field("lu", logical("long", "local-timestamp-micros")),
            field(
                    "in",
                    "[\"null\",{\"type\":\"record\",\"name\":\"In\",\"fields\":["
                            + field("p", decimal(12, 3)) + ","
                            + field("q", "[\"null\"," + logical("long", "timestamp-micros") + "]") + "]}]"));

    @Test
    void equalRecordsComeOutEqualFromAvroAndJson() {
        long seed = Long.getLong("tidemark.bytes.first", 1);
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            GenericRecord record = new GenericData.Record(SCHEMA);
            List<String> json = new ArrayList<>();
            put(record, json, "b", random.nextBoolean());
            put(record, json, "i", random.nextInt());
            put(record, json, "l", random.nextInt(3) == 0 ? null : random.nextLong());
            put(record, json, "f", random.nextFloat() * (random.nextBoolean() ? 1e-30f : 1e30f));
            put(record, json, "d", random.nextDouble() * Math.pow(10, random.nextInt(600) - 300));
            String text = text(random);
            record.put("s", text);
            json.add("\"s\":\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
            byte[] bytes = new byte[random.nextInt(20)];
            random.nextBytes(bytes);
            record.put("y", ByteBuffer.wrap(bytes));
            json.add("\"y\":\"" + Base64.getEncoder().encodeToString(bytes) + "\"");
            putDecimal(record, json, "n", new BigInteger(39, random).subtract(BigInteger.ONE.shiftLeft(38)), 3, random);
            putDecimal(record, json, "w", new BigInteger(98, random).subtract(BigInteger.ONE.shiftLeft(97)), 4, random);
            long millis = random.nextLong() >> 20;
            record.put("t", millis);
            json.add("\"t\":"
                    + (random.nextBoolean()
                            ? millis
                            : "\"" + Instant.ofEpochMilli(millis % 60_000_000_000_000L) + "\""));
            if (json.get(json.size() - 1).contains("T")) {
                record.put("t", millis % 60_000_000_000_000L);
            }
            put(record, json, "u", random.nextLong());
            put(record, json, "a", random.nextInt(1_000_000) - 500_000);
            UUID uuid = new UUID(random.nextLong(), random.nextLong());
            record.put("g", uuid.toString());
            json.add("\"g\":\"" + uuid + "\"");
            put(record, json, "tm", random.nextInt(86_400_000));
            putText(record, json, "tu", 86_400_000_000L, random);
            putText(record, json, "lm", 4_000_000_000_000L, random);
            putText(record, json, "lu", 4_000_000_000_000_000L, random);
            Schema colour = SCHEMA.getField("e").schema();
            String symbol = colour.getEnumSymbols().get(random.nextInt(2));
            record.put("e", new GenericData.EnumSymbol(colour, symbol));
            json.add("\"e\":\"" + symbol + "\"");
            byte[] three = new byte[3];
            random.nextBytes(three);
            record.put("x", new GenericData.Fixed(SCHEMA.getField("x").schema(), three));
            json.add("\"x\":\"" + Base64.getEncoder().encodeToString(three) + "\"");
            if (random.nextInt(4) > 0) {
                GenericRecord inner = new GenericData.Record(
                        Fixture.value(SCHEMA.getField("in").schema()));
                List<String> members = new ArrayList<>();
                putDecimal(inner, members, "p", BigInteger.valueOf(random.nextInt()), 3, random);
                put(inner, members, "q", random.nextBoolean() ? null : random.nextLong());
                record.put("in", inner);
                json.add("\"in\":{" + String.join(",", members) + "}");
            } else {
                json.add("\"in\":null");
            }
            java.util.Collections.shuffle(json, random);
            String line = "{" + String.join(", ", json) + "}";
            assertThat(Fixture.json(SCHEMA, line))
                    .as("seed %d: %s", seed, line)
                    .hasSize(21)
                    .isEqualTo(Fixture.avro(SCHEMA, record));
        }
    }

    private static void put(
            GenericRecord record, List<String> json, String name, @org.jspecify.annotations.Nullable Object value) {
        record.put(name, value);
        json.add("\"" + name + "\":" + value);
    }

    /** A time of day or a local timestamp of either sign, as number or as ISO text. */
    private static void putText(GenericRecord record, List<String> json, String name, long bound, Random random) {
        boolean isTime = name.startsWith("t");
        long value = Math.floorMod(random.nextLong(), bound) - (isTime || random.nextBoolean() ? 0 : bound);
        ChronoUnit unit = name.endsWith("m") ? ChronoUnit.MILLIS : ChronoUnit.MICROS;
        record.put(name, value);
        Object text = isTime
                ? LocalTime.MIDNIGHT.plus(value, unit)
                : LocalDateTime.of(1970, 1, 1, 0, 0).plus(value, unit);
        json.add("\"" + name + "\":" + (random.nextBoolean() ? value : "\"" + text + "\""));
    }

    private static void putDecimal(
            GenericRecord record, List<String> json, String name, BigInteger unscaled, int scale, Random random) {
        record.put(name, ByteBuffer.wrap(unscaled.toByteArray()));
        String text = new BigDecimal(unscaled, scale).toPlainString();
        json.add("\"" + name + "\":" + (random.nextBoolean() ? text : "\"" + text + "\""));
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.appendCodePoint(
                    switch (random.nextInt(4)) {
                        case 0 -> 0x20 + random.nextInt(0x5f);
                        case 1 -> 0xa0 + random.nextInt(0x700);
                        case 2 -> 0x3000 + random.nextInt(0x1000);
                        default -> 0x1f600 + random.nextInt(0x40);
                    });
        }
        return text.toString();
    }
}
