package dev.tidemark.kit;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.Profile.Layout;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A job drawn at random, with the schema of its source. */
final class RandomPlan {

    /** A field of the schema; {@code fallback} is the JSON of its default. */
    record Column(
            Field field,
            boolean nullable,
            boolean millis,
            List<String> symbols,
            @Nullable String fallback) {

        String avro() {
            String type = nullable ? "[\"null\"," + avroType() + "]" : avroType();
            String value = fallback == null ? "" : ",\"default\":" + fallback;
            return "{\"name\":\"" + field.column() + "\",\"type\":" + type + value + "}";
        }

        private String avroType() {
            if (!symbols.isEmpty()) {
                return "{\"type\":\"enum\",\"name\":\"" + field.column() + "_symbol\",\"symbols\":"
                        + symbols.stream().map(s -> "\"" + s + "\"").toList() + "}";
            }
            FieldType type = field.type();
            return switch (type.kind()) {
                case BOOLEAN -> "\"boolean\"";
                case INT -> "\"int\"";
                case LONG -> "\"long\"";
                case FLOAT -> "\"float\"";
                case DOUBLE -> "\"double\"";
                case STRING -> "\"string\"";
                case BYTES -> "\"bytes\"";
                case DATE -> logical("int", "date");
                case TIME -> logical("long", "time-micros");
                case TIMESTAMP -> logical("long", millis ? "timestamp-millis" : "timestamp-micros");
                case LOCAL_TIMESTAMP -> logical("long", "local-timestamp-micros");
                case UUID -> logical("string", "uuid");
                case DECIMAL ->
                    "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":" + type.precision() + ",\"scale\":"
                            + type.scale() + "}";
            };
        }

        private static String logical(String type, String logicalType) {
            return "{\"type\":\"" + type + "\",\"logicalType\":\"" + logicalType + "\"}";
        }
    }

    /** A zone and a moment at which its clocks do something of their own. */
    private record Place(String zone, String moment) {}

    private static final List<Place> PLACES = List.of(
            new Place("UTC", "2024-02-29T00:00:00Z"),
            new Place("America/New_York", "2018-11-04T06:00:00Z"),
            new Place("America/New_York", "2019-03-10T07:00:00Z"),
            new Place("Asia/Kathmandu", "1985-12-31T18:30:00Z"),
            new Place("America/Sao_Paulo", "2018-11-04T03:00:00Z"),
            new Place("Pacific/Apia", "2011-12-30T10:00:00Z"),
            new Place("Australia/Lord_Howe", "2018-03-31T15:00:00Z"),
            new Place("Australia/Lord_Howe", "2018-10-06T15:30:00Z"),
            new Place("Europe/London", "2024-10-27T01:00:00Z"),
            new Place("Europe/London", "2024-03-31T01:00:00Z"));

    private static final String PART = "part.";

    /** Of which generated plans have columns; {@link RunningColumns} has the others. */
    static final List<Aggregate> LOCAL = Arrays.stream(Aggregate.values())
            .filter(function -> function.kind() == ColumnKind.LOCAL && !function.isOfIdentities())
            .toList();

    private final Random random;
    private final Profile profile;
    private final Map<String, Column> columns = new LinkedHashMap<>();
    private final JobPlan plan;
    private final Duration unit;
    private final Instant beginning;

    RandomPlan(Random random, Profile profile) {
        this.random = random;
        this.profile = profile;
        Grain grain = profile.grain() == null ? pick(List.of(Grain.values())) : profile.grain();
        this.unit = switch (grain) {
            case HOUR -> Duration.ofHours(1);
            case DAY -> Duration.ofDays(1);
            case WEEK -> Duration.ofDays(7);
            case MONTH -> Duration.ofDays(30);
        };
        Place place = pick(PLACES);
        this.beginning = Instant.parse(place.moment()).minus(unit.multipliedBy(2 + random.nextInt(4)));
        ChangePlan changes = changes();
        TimePlan time = time(changes.delete() != null);
        PartitionPlan partition = partition(grain, ZoneId.of(place.zone()));
        TargetPlan target = target(time.event());
        column("note", FieldType.of(Kind.STRING), true);
        this.plan = new JobPlan(
                "generated",
                new SourcePlan(
                        schema(),
                        Format.JSON,
                        "",
                        0,
                        profile.layout() == Layout.SOURCE ? Logs.SOURCE : Logs.FOLDER,
                        60_000),
                changes,
                new TimePlan(
                        time.event(),
                        time.observed(),
                        time.observedField(),
                        time.frontier(),
                        time.outOfOrderness(),
                        time.maxFutureSkew(),
                        Math.max(partition.lookback(), 1) + (chance(0.3) ? random.nextInt(3) : 0)),
                partition,
                target);
    }

    JobPlan plan() {
        return plan;
    }

    Map<String, Column> columns() {
        return columns;
    }

    /** About the length of a partition. */
    Duration unit() {
        return unit;
    }

    /** A few partitions before the zone's clocks do something of their own. */
    Instant beginning() {
        return beginning;
    }

    private ChangePlan changes() {
        Mode mode = profile.mode() == null ? (chance(0.3) ? Mode.APPEND : Mode.UPSERT) : profile.mode();
        List<Field> id = new ArrayList<>();
        if (mode == Mode.UPSERT || chance(0.6)) {
            Kind kind = pick(List.of(Kind.STRING, Kind.LONG, Kind.INT, Kind.UUID));
            id.add(column("order_id", FieldType.of(kind), chance(0.5)));
            if (chance(0.3)) {
                id.add(column("line", FieldType.of(Kind.INT), chance(0.5)));
            }
        }
        if (mode == Mode.APPEND) {
            return new ChangePlan(mode, id, List.of(), null);
        }
        List<Field> version = new ArrayList<>();
        switch (random.nextInt(6)) {
            case 0 -> {}
            case 1 -> {
                version.add(column("epoch", FieldType.of(Kind.INT), chance(0.5)));
                version.add(column("step", FieldType.of(Kind.LONG), chance(0.5)));
            }
            case 2 -> version.add(column("updated_at", FieldType.of(Kind.TIMESTAMP), chance(0.5)));
            case 3 -> version.add(column("revision", FieldType.of(Kind.STRING), chance(0.5)));
            default -> version.add(column("revision", FieldType.of(Kind.LONG), chance(0.5)));
        }
        Deletion delete = switch (random.nextInt(7)) {
            case 0 -> null;
            case 1, 2 -> new Deletion(column("gone", FieldType.of(Kind.BOOLEAN), chance(0.5)), null);
            case 3 ->
                new Deletion(
                        add(new Column(
                                new Field("op", FieldType.of(Kind.STRING)),
                                false,
                                false,
                                List.of("c", "u", "d"),
                                null)),
                        "d");
            default -> new Deletion(column("op", FieldType.of(Kind.STRING), chance(0.5)), "d");
        };
        return new ChangePlan(mode, id, version, delete);
    }

    private TimePlan time(boolean deletes) {
        Field event = column("ordered_at", FieldType.of(Kind.TIMESTAMP), deletes || chance(0.5));
        FrontierKind frontier = chance(0.65) ? FrontierKind.OBSERVED : FrontierKind.EVENT;
        Observed source = frontier == FrontierKind.OBSERVED || chance(0.6) ? Observed.FIELD : Observed.NONE;
        if (profile.layout() == Layout.PARTITIONS && source == Observed.FIELD && chance(0.6)) {
            source = Observed.KAFKA_TIMESTAMP;
        }
        Duration skew = pick(List.of(
                Duration.ZERO, Duration.ofMinutes(5), Duration.ofMinutes(5), unit.dividedBy(2), unit.multipliedBy(3)));
        Duration outOfOrderness = frontier == FrontierKind.EVENT
                ? pick(List.of(Duration.ZERO, Duration.ofMinutes(10), unit))
                : Duration.ZERO;
        return new TimePlan(
                event,
                source,
                source == Observed.FIELD ? column("ingested_at", FieldType.of(Kind.TIMESTAMP), chance(0.5)) : null,
                frontier,
                outOfOrderness.toNanos() / 1000,
                skew.toNanos() / 1000,
                1);
    }

    private PartitionPlan partition(Grain grain, ZoneId zone) {
        int lookback = random.nextInt(5);
        int retain = lookback + random.nextInt(Math.max(2 * lookback, 2) + 1);
        Partitions partitions = new Partitions(grain, zone);
        LocalDate second = partitions.localDate(partitions.start(partitions.number(beginning) + 2));
        return new PartitionPlan(
                grain, zone, lookback, null, retain, grain == Grain.HOUR ? "hour" : "day", chance(0.2) ? second : null);
    }

    private TargetPlan target(Field event) {
        List<Field> key = new ArrayList<>();
        key.add(column("product", FieldType.of(Kind.STRING), chance(0.5)));
        while (key.size() < 3 && chance(0.25)) {
            Kind kind = pick(
                    List.of(Kind.INT, Kind.LONG, Kind.BOOLEAN, Kind.DATE, Kind.UUID, Kind.TIMESTAMP, Kind.DECIMAL));
            key.add(column(
                    (chance(0.2) ? PART : "") + "k" + key.size(),
                    kind == Kind.DECIMAL ? FieldType.decimal(6, 2) : FieldType.of(kind),
                    chance(0.5)));
        }
        List<ValueColumn> values = new ArrayList<>();
        values.add(new ValueColumn("members", Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG)));
        int count = 1 + random.nextInt(7);
        for (int i = 0; i < count; i++) {
            Aggregate function = pick(LOCAL);
            boolean numeric = function == Aggregate.SUM || function == Aggregate.AVG;
            Field field = chance(0.05) && !numeric ? event : value(numeric);
            List<Field> order = new ArrayList<>();
            while ((function == Aggregate.FIRST || function == Aggregate.LATEST) && order.size() < 2 && chance(0.5)) {
                order.add(value(false));
            }
            values.add(new ValueColumn("c" + i, function, field, order, resultType(function, field.type())));
        }
        return new TargetPlan("public", "generated", key, values, chance(0.5));
    }

    private Field value(boolean numeric) {
        List<FieldType> numbers = List.of(
                FieldType.of(Kind.INT),
                FieldType.of(Kind.LONG),
                FieldType.of(Kind.DOUBLE),
                FieldType.of(Kind.DOUBLE),
                FieldType.of(Kind.DOUBLE),
                FieldType.of(Kind.FLOAT),
                FieldType.decimal(9, 2),
                FieldType.decimal(28, 4));
        List<FieldType> others = List.of(
                FieldType.of(Kind.STRING),
                FieldType.of(Kind.STRING),
                FieldType.of(Kind.BOOLEAN),
                FieldType.of(Kind.DATE),
                FieldType.of(Kind.TIMESTAMP),
                FieldType.of(Kind.UUID),
                FieldType.of(Kind.BYTES));
        FieldType type = pick(numeric || chance(0.4) ? numbers : others);
        String name = (chance(0.2) ? PART : "") + "v_" + type.kind().name().toLowerCase(Locale.ROOT)
                + (type.kind() == Kind.DECIMAL ? type.precision() : "")
                + (chance(0.3) ? "_b" : "");
        Column known = columns.get(name);
        return known != null ? known.field() : column(name, type, chance(0.7));
    }

    static FieldType resultType(Aggregate function, FieldType type) {
        FieldType real = FieldType.of(Kind.DOUBLE);
        return switch (function) {
            case COUNT, COUNT_DISTINCT, RUNNING_COUNT, RUNNING_COUNT_DISTINCT, IDENTITIES, IDENTIFIED_EVENTS ->
                FieldType.of(Kind.LONG);
            case MIN, MAX, FIRST, LATEST -> type;
            case SUM, RUNNING_SUM ->
                switch (type.kind()) {
                    case INT -> FieldType.of(Kind.LONG);
                    case LONG -> FieldType.decimal(38, 0);
                    case DECIMAL -> FieldType.decimal(38, type.scale());
                    default -> real;
                };
            case AVG -> type.isFloatingPoint() ? real : FieldType.decimal(38, type.scale() + 6);
        };
    }

    private Field column(String name, FieldType type, boolean nullable) {
        boolean hasFallback = !nullable && type.kind() == Kind.LONG && name.contains("v_") && chance(0.5);
        return add(new Column(
                new Field(name, type),
                nullable,
                type.kind() == Kind.TIMESTAMP && chance(0.5),
                List.of(),
                hasFallback ? "7" : nullable && chance(0.5) ? "null" : null));
    }

    private Field add(Column column) {
        columns.put(column.field().name(), column);
        return column.field();
    }

    private String schema() {
        List<String> fields = new ArrayList<>();
        List<String> inside = new ArrayList<>();
        columns.values().forEach(column -> (isInside(column) ? inside : fields).add(column.avro()));
        if (!inside.isEmpty()) {
            fields.add("{\"name\":\"part\",\"type\":[\"null\"," + record("Part", inside) + "]}");
        }
        return record("Generated", fields);
    }

    private static String record(String name, List<String> fields) {
        return "{\"type\":\"record\",\"name\":\"" + name + "\",\"fields\":[" + String.join(",", fields) + "]}";
    }

    /** Whether the field lies in the record that some of the schemas have, and that may be null. */
    static boolean isInside(Column column) {
        return column.field().name().startsWith(PART);
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private <T> T pick(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
