package dev.tidemark.partition;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ChangePlan;
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
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans and columns for the tests of this room. */
public final class Plans {
    public static final Field ID = new Field("id", FieldType.of(Kind.LONG));
    public static final Field KEY = new Field("key", FieldType.of(Kind.STRING));
    public static final Field WHOLE = new Field("whole", FieldType.of(Kind.INT));
    public static final Field BIG = new Field("big", FieldType.of(Kind.LONG));
    public static final Field PRICE = new Field("price", FieldType.decimal(10, 2));
    public static final Field WIDE = new Field("wide", FieldType.decimal(28, 6));
    public static final Field SINGLE = new Field("single", FieldType.of(Kind.FLOAT));
    public static final Field REAL = new Field("real", FieldType.of(Kind.DOUBLE));
    public static final Field TEXT = new Field("text", FieldType.of(Kind.STRING));
    public static final Field BLOB = new Field("blob", FieldType.of(Kind.BYTES));
    public static final Field TAG = new Field("tag", FieldType.of(Kind.UUID));
    public static final Field FLAG = new Field("flag", FieldType.of(Kind.BOOLEAN));
    public static final Field AT = new Field("at", FieldType.of(Kind.TIMESTAMP));
    public static final List<Field> ALL = List.of(WHOLE, BIG, PRICE, WIDE, SINGLE, REAL, TEXT, BLOB, TAG, FLAG, AT);

    private static final List<Field> NUMBERS = List.of(WHOLE, BIG, PRICE, WIDE, SINGLE, REAL);

    private Plans() {}

    public static JobPlan upsert(List<ValueColumn> columns) {
        return plan(Mode.UPSERT, columns);
    }

    public static JobPlan append(List<ValueColumn> columns) {
        return plan(Mode.APPEND, columns);
    }

    /** Every function over every field that it takes. */
    public static List<ValueColumn> everything() {
        List<ValueColumn> columns = new ArrayList<>();
        columns.add(column(Aggregate.COUNT, null));
        for (Field field : ALL) {
            columns.add(column(Aggregate.COUNT, field));
            columns.add(column(Aggregate.COUNT_DISTINCT, field));
            columns.add(column(Aggregate.MIN, field));
            columns.add(column(Aggregate.MAX, field));
            columns.add(column(Aggregate.FIRST, field));
            columns.add(column(Aggregate.LATEST, field, TEXT, PRICE, WIDE, REAL));
            if (NUMBERS.contains(field)) {
                columns.add(column(Aggregate.SUM, field));
                columns.add(column(Aggregate.AVG, field));
            }
        }
        return columns;
    }

    public static ValueColumn column(Aggregate function, @Nullable Field field, Field... order) {
        String name = function.word() + (field == null ? "" : "_" + field.name());
        return new ValueColumn(name, function, field, List.of(order), resultType(function, field));
    }

    private static FieldType resultType(Aggregate function, @Nullable Field field) {
        if (field == null || function.ofCell() == Aggregate.COUNT || function.ofCell() == Aggregate.COUNT_DISTINCT) {
            return FieldType.of(Kind.LONG);
        }
        if (function.isSelective()) {
            return field.type();
        }
        if (field.type().isFloatingPoint()) {
            return FieldType.of(Kind.DOUBLE);
        }
        if (function == Aggregate.AVG) {
            return FieldType.decimal(38, field.type().scale() + 6);
        }
        return field.type().kind() == Kind.INT
                ? FieldType.of(Kind.LONG)
                : FieldType.decimal(38, field.type().scale());
    }

    private static JobPlan plan(Mode mode, List<ValueColumn> columns) {
        return new JobPlan(
                "cells",
                new SourcePlan("\"null\"", Format.JSON, "none", 0, Logs.SOURCE, 60_000),
                new ChangePlan(mode, List.of(ID), List.of(), null),
                new TimePlan(AT, Observed.NONE, null, FrontierKind.EVENT, 0, 0, 3),
                new PartitionPlan(Grain.DAY, ZoneId.of("America/New_York"), 3, null, 6, "day", null),
                new TargetPlan("public", "cells", List.of(KEY), columns, false));
    }
}
