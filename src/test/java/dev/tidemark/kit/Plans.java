package dev.tidemark.kit;

import dev.tidemark.job.Aggregate;
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
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Jobs written by hand: product days with the fields {@code id}, {@code v}, {@code gone}, {@code at}, {@code seen},
 * {@code product} and a value of each kind. Upserts by version, days of UTC, lookback 3 and retain 6, the column {@code
 * n} that counts: unless said otherwise.
 */
public final class Plans {
    public static final Field ID = new Field("id", FieldType.of(Kind.STRING));
    public static final Field VERSION = new Field("v", FieldType.of(Kind.LONG));
    public static final Field GONE = new Field("gone", FieldType.of(Kind.BOOLEAN));
    public static final Field AT = new Field("at", FieldType.of(Kind.TIMESTAMP));
    public static final Field SEEN = new Field("seen", FieldType.of(Kind.TIMESTAMP));
    public static final Field PRODUCT = new Field("product", FieldType.of(Kind.STRING));
    public static final Field QUANTITY = new Field("quantity", FieldType.of(Kind.LONG));
    public static final Field LINE = new Field("line", FieldType.of(Kind.INT));
    public static final Field WEIGHT = new Field("weight", FieldType.of(Kind.DOUBLE));
    public static final Field PRICE = new Field("price", FieldType.decimal(9, 2));
    public static final Field TEXT = new Field("text", FieldType.of(Kind.STRING));
    public static final Field REFERENCE = new Field("reference", FieldType.of(Kind.UUID));
    public static final Field DUE = new Field("due", FieldType.of(Kind.DATE));
    public static final Field DIGEST = new Field("digest", FieldType.of(Kind.BYTES));

    private static final String SCHEMA = """
            {"type":"record","name":"OrderLine","fields":[
            {"name":"id","type":["null","string"]},
            {"name":"v","type":["null","long"]},
            {"name":"gone","type":"boolean","default":false},
            {"name":"at","type":["null",{"type":"long","logicalType":"timestamp-micros"}]},
            {"name":"seen","type":["null",{"type":"long","logicalType":"timestamp-millis"}]},
            {"name":"product","type":["null","string"]},
            {"name":"quantity","type":["null","long"]},
            {"name":"line","type":"int","default":0},
            {"name":"weight","type":["null","double"]},
            {"name":"price","type":["null",{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}]},
            {"name":"text","type":["null","string"]},
            {"name":"reference","type":["null",{"type":"string","logicalType":"uuid"}]},
            {"name":"due","type":["null",{"type":"int","logicalType":"date"}]},
            {"name":"digest","type":["null","bytes"]}
            ]}""";

    private Logs logs = Logs.SOURCE;
    private Mode mode = Mode.UPSERT;
    private List<Field> id = List.of(ID);
    private List<Field> version = List.of(VERSION);
    private Observed observed = Observed.FIELD;
    private FrontierKind frontier = FrontierKind.OBSERVED;
    private Duration outOfOrderness = Duration.ZERO;
    private Duration maxFutureSkew = Duration.ofMinutes(5);
    private int maxAdvance = 3;
    private Grain grain = Grain.DAY;
    private ZoneId zone = ZoneId.of("UTC");
    private int lookback = 3;
    private int retain = 6;
    private @Nullable LocalDate wholeFrom;
    private boolean retroactive;
    private final List<ValueColumn> columns =
            new ArrayList<>(List.of(new ValueColumn("n", Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG))));

    private Plans() {}

    public static Plans products() {
        return new Plans();
    }

    public Plans appending() {
        mode = Mode.APPEND;
        version = List.of();
        return this;
    }

    public Plans withId(Field... fields) {
        id = List.of(fields);
        return this;
    }

    public Plans withVersion(Field... fields) {
        version = List.of(fields);
        return this;
    }

    public Plans withObserved(Observed source) {
        observed = source;
        return this;
    }

    public Plans withEventFrontier(Duration allowance) {
        frontier = FrontierKind.EVENT;
        outOfOrderness = allowance;
        return this;
    }

    public Plans withMaxFutureSkew(Duration skew) {
        maxFutureSkew = skew;
        return this;
    }

    public Plans withMaxAdvance(int partitions) {
        maxAdvance = partitions;
        return this;
    }

    public Plans withGrain(Grain unit, String zoneId) {
        grain = unit;
        zone = ZoneId.of(zoneId);
        return this;
    }

    public Plans withLookback(int partitions, int retained) {
        lookback = partitions;
        retain = retained;
        return this;
    }

    public Plans withWholeFrom(String date) {
        wholeFrom = LocalDate.parse(date);
        return this;
    }

    public Plans withColumn(String name, Aggregate function, Field field, Field... order) {
        columns.add(
                new ValueColumn(name, function, field, List.of(order), RandomPlan.resultType(function, field.type())));
        return this;
    }

    /** Rows of open partitions are written again when their global columns change. */
    public Plans withRetroactive() {
        retroactive = true;
        return this;
    }

    /** Each first-level folder is a log. */
    public Plans withLogsByFolder() {
        logs = Logs.FOLDER;
        return this;
    }

    public JobPlan plan() {
        return new JobPlan(
                "product-days",
                new SourcePlan(SCHEMA, Format.JSON, "", 0, logs, 60_000),
                new ChangePlan(mode, id, version, mode == Mode.APPEND ? null : new Deletion(GONE, null)),
                new TimePlan(
                        AT,
                        observed,
                        observed == Observed.FIELD ? SEEN : null,
                        frontier,
                        outOfOrderness.toNanos() / 1000,
                        maxFutureSkew.toNanos() / 1000,
                        maxAdvance),
                new PartitionPlan(grain, zone, lookback, null, retain, grain == Grain.HOUR ? "hour" : "day", wholeFrom),
                new TargetPlan("public", "product_days", List.of(PRODUCT), columns, false, retroactive));
    }
}
