package dev.tidemark.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.RandomPlan.Column;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The lines of logs drawn at random: the life of a few source rows as a capricious network tells it. */
final class RandomChanges {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> GARBAGE = List.of(
            "{\"order_id\":",
            "[]",
            "42",
            "null",
            "\"text\"",
            "no json",
            "{} {}",
            "{\"order_id\":\"\u00ff\"",
            "<order/>");

    /** What a log says at a time, and when it came to the broker, if there is one. */
    static final class Line {
        private final byte[] bytes;
        private final Instant timestamp;

        Line(byte[] bytes, Instant timestamp) {
            this.bytes = bytes.clone();
            this.timestamp = timestamp;
        }

        byte[] bytes() {
            return bytes.clone();
        }

        Instant timestamp() {
            return timestamp;
        }
    }

    /** One of the logs: where its clock stands and how often it speaks. */
    private static final class Log {
        final List<Row> rows = new ArrayList<>();
        final List<Line> lines = new ArrayList<>();
        double share;
        Instant now;

        Log(Instant now, double share) {
            this.now = now;
            this.share = share;
        }
    }

    /** JSON text in the place of a value. */
    private record Raw(String json) {}

    /** A source row: what was said of it last, and all that was ever said of it. */
    private static final class Row {
        final int index;
        int version;
        Map<String, Object> last = Map.of();
        final List<Map<String, Object>> said = new ArrayList<>();

        Row(int index) {
            this.index = index;
        }
    }

    private final Random random;
    private final RandomPlan drawn;
    private final Profile profile;
    private final JobPlan plan;
    private final Partitions partitions;
    private final List<Log> logs = new ArrayList<>();
    private final Duration step;
    /** The log that speaks, what of its clock and its rows. */
    private Log log;

    private List<Row> rows;
    private Instant now;
    private int serial;
    private int count;

    RandomChanges(Random random, RandomPlan drawn, Profile profile) {
        this.random = random;
        this.drawn = drawn;
        this.profile = profile;
        this.plan = drawn.plan();
        this.partitions =
                new Partitions(plan.partition().grain(), plan.partition().zone());
        this.now = drawn.beginning();
        this.step = times(chance(0.4) ? 0.02 * random.nextDouble() : 0.02 + 0.25 * random.nextDouble());
        int logCount = profile.layout() == Layout.SOURCE ? 1 : 1 + random.nextInt(5);
        for (int i = 0; i < logCount; i++) {
            // some are days behind, some begin days ahead, some never say a word
            double skew = i == 0 || chance(0.5) ? 0 : 8 * random.nextDouble() - 4;
            logs.add(new Log(now.plus(times(skew)), i == 0 ? 1 : chance(0.15) ? 0 : random.nextDouble()));
        }
        this.log = logs.get(0);
        this.rows = log.rows;
        int rowCount = chance(0.3) ? 40 : 3 + random.nextInt(12);
        for (int i = 0; i < rowCount; i++) {
            (profile.crossing() ? log : pick(logs)).rows.add(new Row(i));
        }
    }

    /** The lines of each log. */
    List<List<Line>> lines() {
        int all = profile.leastRecords() + random.nextInt(profile.mostRecords() - profile.leastRecords() + 1);
        while (count < all) {
            speak(logs.size() == 1 ? log : pickLog());
            if (!rows.isEmpty()) {
                change();
            }
            now = now.plusNanos((long) (step.toNanos() * 2 * random.nextDouble()));
            if (logs.size() > 1 && chance(0.02)) {
                log.share = chance(0.3) ? 0 : random.nextDouble();
            }
        }
        return logs.stream().map(each -> each.lines).toList();
    }

    private Log pickLog() {
        double sum = logs.stream().mapToDouble(each -> each.share).sum();
        double dice = sum * random.nextDouble();
        for (Log each : logs) {
            dice -= each.share;
            if (dice < 0 && (profile.crossing() || !each.rows.isEmpty())) {
                return each;
            }
        }
        return pick(logs);
    }

    private void speak(Log next) {
        log.now = now;
        log = next;
        rows = profile.crossing() ? rows : log.rows;
        now = log.now;
    }

    private void tell(byte[] bytes) {
        log.lines.add(new Line(bytes, broker()));
        count++;
    }

    /** When the broker got it: hardly earlier than the pipeline's own clock says. */
    private Instant broker() {
        return profile.layout() != Layout.PARTITIONS
                ? now
                : now.minus(times(chance(0.1) ? random.nextDouble() : 0)).truncatedTo(ChronoUnit.MILLIS);
    }

    private void change() {
        Row row = pick(rows);
        double dice = random.nextDouble();
        if (profile.poison() && dice < 0.10) {
            poison(row);
        } else if (profile.wildClocks() && log == logs.get(0) && dice < 0.115) {
            wildClocks(row);
        } else if (dice < 0.12) {
            rows.forEach(this::delete);
        } else if (dice < 0.25) {
            delete(row);
        } else if (dice < 0.35) {
            repeat(row);
        } else if (dice < 0.43) {
            contradict(row);
        } else if (dice < 0.52) {
            tellAnOlderVersion(row);
        } else {
            say(row, upsert(row, row.version + 1, observed()));
        }
    }

    // ------------------------------------------------------------------------------------------ kinds of changes

    private Map<String, Object> upsert(Row row, int version, Instant observed) {
        Map<String, Object> said = new HashMap<>();
        for (Column column : drawn.columns().values()) {
            Object value = value(column.field().type(), column.millis());
            if (value != null && !(column.nullable() && chance(0.15))) {
                said.put(column.field().name(), value);
            }
        }
        Object lastEvent = last(row, plan.time().event());
        put(said, plan.time().event(), lastEvent != null && chance(0.5) ? lastEvent : event());
        for (int i = 0; i < plan.target().key().size(); i++) {
            Field field = plan.target().key().get(i);
            Object lastKey = last(row, field);
            put(said, field, lastKey != null && chance(0.7) ? lastKey : keyValue(field));
        }
        identify(said, row, version, observed);
        DeleteForm deletion = DeleteForm.of(plan.changes().delete());
        if (deletion != null) {
            put(said, deletion.field(), deletion.literal() == null ? (Object) false : pick(List.of("c", "u")));
        }
        return said;
    }

    private Map<String, Object> deletion(Row row, int version, DeleteForm deletion) {
        Map<String, Object> said = new HashMap<>();
        if (chance(0.3)) {
            for (Column column : drawn.columns().values()) {
                said.put(column.field().name(), new Raw("{\"not\":\"read\"}"));
            }
        }
        Field event = plan.time().event();
        said.remove(event.name());
        Object last = last(row, event);
        boolean nullable = column(event).nullable();
        if (!nullable || chance(0.5)) {
            put(said, event, last != null && chance(0.5) ? last : event());
        }
        identify(said, row, version, observed());
        put(said, deletion.field(), deletion.literal() == null ? (Object) true : deletion.literal());
        return said;
    }

    private void delete(Row row) {
        DeleteForm deletion = DeleteForm.of(plan.changes().delete());
        if (deletion != null) {
            say(row, deletion(row, row.version + 1, deletion));
        } else {
            say(row, upsert(row, row.version + 1, observed()));
        }
    }

    private void repeat(Row row) {
        if (row.said.isEmpty()) {
            return;
        }
        Map<String, Object> copy = new HashMap<>(chance(0.6) ? row.last : pick(row.said));
        Field observed = plan.time().observedField();
        if (observed != null && chance(0.5)) {
            put(copy, observed, observed());
        }
        emit(copy);
    }

    /** The same version again with other values, often with only one that is other. */
    private void contradict(Row row) {
        DeleteForm deletion = DeleteForm.of(plan.changes().delete());
        if (deletion != null && chance(0.2)) {
            say(row, deletion(row, row.version, deletion));
            return;
        }
        Map<String, Object> other = upsert(row, row.version, observed());
        if (!row.last.isEmpty() && chance(0.6)) {
            List<Field> fields = new ArrayList<>(plan.rowFields());
            fields.addAll(plan.target().key());
            fields.add(plan.time().event());
            Field changed = pick(fields);
            Map<String, Object> copy = new HashMap<>(row.last);
            Object value = other.get(changed.name());
            if (value != null) {
                put(copy, changed, value);
            }
            if (plan.time().observedField() != null) {
                put(copy, plan.time().observedField(), observed());
            }
            other = copy;
        }
        row.last = other;
        row.said.add(other);
        emit(other);
    }

    private void tellAnOlderVersion(Row row) {
        int version = Math.max(0, row.version - 1 - random.nextInt(3));
        DeleteForm deletion = DeleteForm.of(plan.changes().delete());
        emit(deletion != null && chance(0.25) ? deletion(row, version, deletion) : upsert(row, version, observed()));
    }

    private void wildClocks(Row row) {
        int count = chance(0.5) ? 1 : 2 + random.nextInt(3);
        boolean sameRow = chance(0.3);
        boolean everFurther = chance(0.5);
        Instant far = now;
        for (int i = 0; i < count; i++) {
            Row teller = sameRow ? row : pick(rows);
            double ahead = (plan.time().maxAdvance() + 1) * (everFurther ? i + 1 : 1) + 3 * random.nextDouble();
            far = now.plus(times(ahead));
            Map<String, Object> said = upsert(teller, teller.version + 1, far);
            if (plan.time().frontier() == FrontierKind.EVENT || chance(0.2)) {
                put(said, plan.time().event(), far);
            }
            say(teller, said);
            if (chance(0.3)) {
                say(row, upsert(row, row.version + 1, now));
            }
        }
        if (count > 1 && chance(0.6)) {
            now = far;
        }
    }

    private void identify(Map<String, Object> said, Row row, int version, Instant observed) {
        List<Field> id = plan.changes().id();
        for (int i = 0; i < id.size(); i++) {
            int part = id.size() == 1 ? row.index : i == 0 ? row.index / 2 : row.index % 2;
            put(said, id.get(i), idValue(id.get(i).type().kind(), part));
        }
        List<Field> fields = plan.changes().version();
        for (int i = 0; i < fields.size(); i++) {
            int part = fields.size() == 1 ? version : i == 0 ? version / 3 : version % 3;
            put(said, fields.get(i), versionValue(fields.get(i).type().kind(), part));
        }
        if (plan.time().observedField() != null) {
            put(said, plan.time().observedField(), observed);
        }
    }

    private static @Nullable Object last(Row row, Field field) {
        Object value = row.last.get(field.name());
        return value instanceof Raw ? null : value;
    }

    private static Object idValue(Kind kind, int part) {
        return switch (kind) {
            case STRING -> part == 0 ? "" : "o\"-\u00e9" + part;
            case UUID -> new UUID(part % 2 == 0 ? -1L : 1L, part);
            default -> (long) part - 2;
        };
    }

    private Object versionValue(Kind kind, int part) {
        return switch (kind) {
            case STRING -> "r%04d".formatted(part);
            case TIMESTAMP -> drawn.beginning().plus(part, ChronoUnit.MINUTES);
            default -> (long) part - 1;
        };
    }

    private void say(Row row, Map<String, Object> said) {
        row.version++;
        row.last = said;
        row.said.add(said);
        emit(said);
    }

    // ---------------------------------------------------------------------------------------------------- poison

    private void poison(Row row) {
        Map<String, Object> said = upsert(row, row.version + 1, observed());
        List<Column> all = List.copyOf(drawn.columns().values());
        Field event = plan.time().event();
        Field observed = plan.time().observedField();
        switch (random.nextInt(9)) {
            case 0 -> {
                tell(
                        chance(0.2)
                                ? new byte[] {'{', '"', (byte) 0xff, (byte) 0xc0, '"', ':', '1', '}'}
                                : pick(GARBAGE).getBytes(StandardCharsets.UTF_8));
                return;
            }
            case 1 -> {
                Column column = pick(all);
                said.put(column.field().name(), new Raw(pick(wrong(column))));
            }
            case 2 -> said.remove(pick(all).field().name());
            case 3 -> said.put(pick(all).field().name(), new Raw("null"));
            case 4 -> {
                List<Field> asked = new ArrayList<>(plan.target().key());
                asked.add(event);
                asked.addAll(plan.changes().id());
                asked.addAll(plan.changes().version());
                if (observed != null) {
                    asked.add(observed);
                }
                asked.removeIf(field -> !column(field).nullable());
                if (!asked.isEmpty()) {
                    said.remove(pick(asked).name());
                }
            }
            case 5 -> {
                if (observed != null) {
                    Instant seen = observed();
                    Instant latest = seen.plus(plan.time().maxFutureSkew(), ChronoUnit.MICROS);
                    put(said, observed, seen);
                    put(said, event, latest.plus(times(random.nextDouble())).plusMillis(1));
                }
            }
            case 6 -> {
                List<Column> ranged = all.stream()
                        .filter(c -> List.of(Kind.TIMESTAMP, Kind.DATE, Kind.DOUBLE, Kind.FLOAT)
                                .contains(c.field().type().kind()))
                        .toList();
                Column column = pick(ranged);
                said.put(
                        column.field().name(),
                        switch (column.field().type().kind()) {
                            case DATE -> new Raw(pick(List.of("2932897", "-719163", "-2000000")));
                            case TIMESTAMP ->
                                chance(0.7)
                                        ? Instant.parse("0000-12-31T00:00:00Z")
                                                .minus(random.nextInt(9), ChronoUnit.DAYS)
                                        : Instant.parse("+10000-01-02T00:00:00Z");
                            default -> new Raw(chance(0.5) ? "1e999" : "-1e999");
                        });
            }
            case 7 -> {
                List<Column> texts = all.stream()
                        .filter(c -> c.field().type().kind() == Kind.STRING
                                && c.symbols().isEmpty())
                        .toList();
                said.put(
                        pick(texts).field().name(),
                        new Raw(pick(List.of("\"a\\u0000b\"", "\"\\ud800\"", "\"x\\udc00y\""))));
            }
            default -> put(said, plan.target().key().get(0), "\u00e9".repeat(1001 + random.nextInt(200)));
        }
        emit(said);
    }

    private static List<String> wrong(Column column) {
        FieldType type = column.field().type();
        return switch (type.kind()) {
            case BOOLEAN -> List.of("\"true\"", "1");
            case INT -> List.of("2147483648", "1.5", "\"1\"", "true");
            case LONG -> List.of("9223372036854775808", "0.1", "\"1\"", "{}");
            case FLOAT, DOUBLE -> List.of("\"1.5\"", "true", "[]");
            case DECIMAL ->
                List.of(
                        "\"one\"",
                        "true",
                        "1." + "1".repeat(type.scale() + 1),
                        "\"1" + "0".repeat(type.precision() - type.scale()) + "\"");
            case STRING -> List.of("1", "{}", "[\"a\"]", "true");
            case BYTES -> List.of("\"***\"", "1", "[1]");
            case DATE -> List.of("\"2018-02-30\"", "\"yesterday\"", "1.5", "3000000000", "true");
            case UUID -> List.of("\"1-2-3-4-5\"", "\"\"", "7");
            default ->
                List.of(
                        "\"2018-11-04T00:00:00\"",
                        "\"2018-11-04T00:00:00." + (column.millis() ? "0001" : "0000001") + "Z\"",
                        "\"2018-11-04\"",
                        "\"\"",
                        "1.5",
                        "true");
        };
    }

    // ---------------------------------------------------------------------------------------------------- values

    private Instant observed() {
        return chance(0.8) ? now : now.minus(times(0.8 * random.nextDouble()));
    }

    private Instant event() {
        if (chance(0.25) && last(pick(rows), plan.time().event()) instanceof Instant same) {
            return same;
        }
        double dice = random.nextDouble();
        int lookback = plan.partition().lookback();
        int retain = plan.partition().retain();
        if (dice < 0.55) {
            return now.minus(times(random.nextDouble()));
        }
        if (dice < 0.75) {
            return now.minus(times((lookback + 1) * random.nextDouble()));
        }
        if (dice < 0.84) {
            long bound = partitions.number(now) - pick(List.of(lookback, retain, 0));
            return partitions.start(bound).minusMillis(random.nextInt(2));
        }
        if (dice < 0.89) {
            return now.minus(times(lookback + (retain - lookback + 1) * random.nextDouble()));
        }
        if (dice < 0.92) {
            return now.minus(times(retain + 3 * random.nextDouble()));
        }
        if (dice < 0.93) {
            return now.minus(times(100 * random.nextDouble()));
        }
        if (dice < 0.96 && plan.time().observedField() != null) {
            return now.plus(plan.time().maxFutureSkew(), ChronoUnit.MICROS);
        }
        return chance(0.7) ? partitions.start(partitions.number(now)) : now;
    }

    private Object keyValue(Field field) {
        int choice = random.nextInt(2);
        return switch (field.type().kind()) {
            case STRING -> pick(List.of("a", "a", "a", "\uff5e", "\ud83d\ude00"));
            case BOOLEAN -> choice == 0;
            case DATE -> LocalDate.of(2018, 1, 1 + choice);
            case TIMESTAMP -> Instant.parse("2018-01-01T00:00:00Z").plusMillis(choice);
            case UUID -> new UUID(choice == 0 ? -1 : 1, 1);
            case DECIMAL -> new BigDecimal(choice == 0 ? "-1.50" : "0.00");
            default -> (long) choice - 1;
        };
    }

    private @Nullable Object value(FieldType type, boolean millis) {
        return switch (type.kind()) {
            case BOOLEAN -> random.nextBoolean();
            case INT -> pick(List.of(-3L, -1L, 0L, 1L, 2L, 7L, (long) Integer.MAX_VALUE, (long) Integer.MIN_VALUE));
            case LONG -> pick(List.of(-3L, -1L, 0L, 1L, 2L, 7L, Long.MAX_VALUE, Long.MIN_VALUE));
            case FLOAT -> (random.nextInt(64) - 32) / 8.0;
            case DOUBLE ->
                pick(List.of(
                        1e16,
                        -1e16,
                        0.1,
                        0.1,
                        0.2,
                        0.7,
                        -0.1,
                        -0.0,
                        3.3,
                        1e-300,
                        1e-17,
                        1.0 / 3,
                        random.nextGaussian()));
            case DECIMAL -> {
                int digits = chance(0.2) ? type.precision() : 1 + random.nextInt(4);
                BigInteger unscaled = new BigInteger(digits * 4, random).mod(BigInteger.TEN.pow(digits));
                yield new BigDecimal(chance(0.5) ? unscaled : unscaled.negate(), type.scale());
            }
            case STRING -> pick(List.of("", "a", "B", "\u00e9", "\uff5e", "\ud83d\ude00", "z'\"\\"));
            case BYTES ->
                Values.Binary.of(pick(
                        List.of(new byte[0], new byte[] {0}, new byte[] {127}, new byte[] {-128}, new byte[] {-1, 0})));
            case DATE -> LocalDate.of(2018, 1, 1).plusDays(random.nextInt(4) * 50_000L - 50_000);
            case TIMESTAMP ->
                Instant.parse("1969-12-31T23:59:59.9Z")
                        .plus(random.nextInt(4) * (millis ? 1000L : 33_333L), ChronoUnit.MICROS);
            case UUID -> new UUID(random.nextInt(3) - 1, random.nextInt(3) - 1);
            case TIME, LOCAL_TIMESTAMP -> null;
        };
    }

    // ------------------------------------------------------------------------------------------------------ JSON

    private void put(Map<String, Object> said, Field field, Object value) {
        said.put(
                field.name(),
                value instanceof Instant instant
                        ? instant.truncatedTo(column(field).millis() ? ChronoUnit.MILLIS : ChronoUnit.MICROS)
                        : value);
    }

    private void emit(Map<String, Object> said) {
        List<String> members = new ArrayList<>();
        List<String> inside = new ArrayList<>();
        for (Column column : drawn.columns().values()) {
            Object value = said.get(column.field().name());
            List<String> level = RandomPlan.isInside(column) ? inside : members;
            if (value != null) {
                level.add(quoted(column.field().column()) + ":" + json(column, value));
            } else if (column.nullable() && chance(0.5)) {
                level.add(quoted(column.field().column()) + ":null");
            }
        }
        Collections.shuffle(inside, random);
        if (!inside.isEmpty() && chance(0.9)) {
            members.add("\"part\":{" + String.join(",", inside) + "}");
        } else if (chance(0.3)) {
            members.add("\"part\":" + (profile.poison() && chance(0.2) ? "[{}]" : "null"));
        }
        if (chance(0.2)) {
            members.add("\"unknown\":{\"serial\":" + serial++ + "}");
        }
        Collections.shuffle(members, random);
        tell(("{" + String.join(",", members) + "}").getBytes(StandardCharsets.UTF_8));
    }

    private String json(Column column, Object value) {
        if (value instanceof Raw raw) {
            return raw.json();
        }
        if (value instanceof Instant instant) {
            if (chance(0.4) && instant.atOffset(ZoneOffset.UTC).getYear() > 1) {
                ZoneOffset offset = ZoneOffset.ofTotalSeconds((random.nextInt(9) - 4) * 900);
                return quoted(instant.atOffset(offset).toString());
            }
            return Long.toString(column.millis() ? instant.toEpochMilli() : Values.micros(instant));
        }
        if (value instanceof LocalDate date) {
            return chance(0.5) ? quoted(date.toString()) : Long.toString(date.toEpochDay());
        }
        if (value instanceof BigDecimal decimal) {
            return chance(0.5) ? quoted(decimal.toPlainString()) : decimal.toPlainString();
        }
        if (value instanceof Values.Binary binary) {
            return quoted(Base64.getEncoder().encodeToString(HexFormat.of().parseHex(binary.hex())));
        }
        return value instanceof String || value instanceof UUID ? quoted(value.toString()) : value.toString();
    }

    private static String quoted(String text) {
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private Column column(Field field) {
        Column column = drawn.columns().get(field.name());
        if (column == null) {
            throw new IllegalStateException("No column " + field);
        }
        return column;
    }

    private Duration times(double factor) {
        return Duration.ofNanos((long) (drawn.unit().toNanos() * factor));
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
