package dev.tidemark.change.avro;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.DatumShape;
import dev.tidemark.job.FieldType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * How the records of one writer schema are read: steps in the order of the writer's fields, then the defaults of the fields
 * that it does not have.
 */
final class WriterProgram {
    final Step[] steps;
    final Default[] defaults;
    /** Why no record of the schema can be read; null: they can. */
    final @Nullable String problem;

    private WriterProgram(Step[] steps, Default[] defaults, @Nullable String problem) {
        this.steps = steps;
        this.defaults = defaults;
        this.problem = problem;
    }

    /** A value that stands in the reader schema instead of in the record. */
    record Default(Step step, Bytes value) {}

    static WriterProgram of(String writerSchema, List<SlotRule> rules) {
        Schema writer;
        try {
            writer = new Schema.Parser(NameValidator.NO_VALIDATION)
                    .setValidateDefaults(false)
                    .parse(writerSchema);
        } catch (RuntimeException e) { // Avro's parser throws more than its own exceptions
            return unreadable("the writer schema cannot be read: " + e.getMessage());
        }
        if (writer.getType() != Schema.Type.RECORD) {
            return unreadable("the writer schema is no record but " + word(writer));
        }
        @Nullable SlotRule[] byPosition = new SlotRule[writer.getFields().size()];
        List<Default> defaults = new ArrayList<>();
        for (SlotRule rule : rules) {
            Schema.Field field = find(writer, rule);
            if (field != null) {
                byPosition[field.pos()] = rule;
            } else if (rule.fallback() != null) {
                defaults.add(new Default(step(rule.whole(), rule), rule.fallback()));
            } else {
                return unreadable("field " + rule.name()
                        + " is not in the writer schema, and the reader schema gives no default");
            }
        }
        return new WriterProgram(steps(writer, byPosition), defaults.toArray(Default[]::new), null);
    }

    private static Step[] steps(Schema writer, @Nullable SlotRule[] byPosition) {
        List<Step> steps = new ArrayList<>();
        List<DatumShape> passed = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            SlotRule rule = byPosition[field.pos()];
            if (rule == null) {
                passed.add(Shapes.of(field.schema()));
                continue;
            }
            if (!passed.isEmpty()) {
                steps.add(Step.skip(DatumShape.record().fields(passed)));
                passed.clear();
            }
            steps.add(step(field.schema(), rule));
        }
        if (!passed.isEmpty()) {
            steps.add(Step.skip(DatumShape.record().fields(passed)));
        }
        return steps.toArray(Step[]::new);
    }

    /** The step that reads values of a writer's schema into a slot. */
    static Step step(Schema writer, SlotRule rule) {
        return switch (writer.getType()) {
            case UNION ->
                Step.union(
                        rule,
                        writer.getTypes().stream()
                                .map(branch -> step(branch, rule))
                                .toArray(Step[]::new));
            case NULL -> Step.plain(Step.Op.NULL, rule);
            default -> {
                Step step = valueStep(writer, rule);
                yield step != null
                        ? step
                        : Step.mismatch(
                                rule,
                                "field " + rule.name() + ": " + word(writer) + " cannot be read as "
                                        + word(rule.schema()));
            }
        };
    }

    private static @Nullable Step valueStep(Schema writer, SlotRule rule) {
        Schema.Type type = writer.getType();
        boolean isInteger = type == Schema.Type.INT || type == Schema.Type.LONG;
        return switch (rule.type().kind()) {
            case BOOLEAN -> type == Schema.Type.BOOLEAN ? Step.plain(Step.Op.BOOLEAN, rule) : null;
            case INT, DATE -> type == Schema.Type.INT ? Step.plain(Step.Op.INT, rule) : null;
            case LONG -> isInteger ? integer(type, rule) : null;
            case FLOAT ->
                isInteger
                        ? Step.plain(Step.Op.LONG_AS_FLOAT, rule)
                        : type == Schema.Type.FLOAT ? Step.plain(Step.Op.FLOAT, rule) : null;
            case DOUBLE -> floatingPoint(type, isInteger, rule);
            case TIME, TIMESTAMP, LOCAL_TIMESTAMP -> isInteger ? time(writer, rule) : null;
            case DECIMAL -> decimal(writer, rule);
            case STRING -> string(writer, rule);
            case BYTES ->
                switch (type) {
                    case STRING, BYTES -> Step.plain(Step.Op.BYTES, rule);
                    case FIXED -> Step.fixed(rule, writer.getFixedSize());
                    default -> null;
                };
            case UUID -> uuid(writer, rule);
        };
    }

    private static Step integer(Schema.Type type, SlotRule rule) {
        return Step.plain(type == Schema.Type.INT ? Step.Op.INT : Step.Op.LONG, rule);
    }

    private static @Nullable Step floatingPoint(Schema.Type type, boolean isInteger, SlotRule rule) {
        if (isInteger) {
            return Step.plain(Step.Op.LONG_AS_DOUBLE, rule);
        }
        return switch (type) {
            case FLOAT -> Step.plain(Step.Op.FLOAT, rule);
            case DOUBLE -> Step.plain(Step.Op.DOUBLE, rule);
            default -> null;
        };
    }

    /** The unit is the writer's if it names one, of the same kind of time; else the reader's. */
    private static @Nullable Step time(Schema writer, SlotRule rule) {
        String wanted = switch (rule.type().kind()) {
            case TIME -> "time-";
            case TIMESTAMP -> "timestamp-";
            default -> "local-timestamp-";
        };
        String written = logicalName(writer);
        String unit = written == null ? logicalName(rule.schema()) : written;
        if (unit == null || !(unit.equals(wanted + "millis") || unit.equals(wanted + "micros"))) {
            return null;
        }
        Step.Op op = rule.type().kind() == FieldType.Kind.TIME ? Step.Op.TIME_OF_DAY : Step.Op.TIME;
        return Step.time(op, rule, SlotRule.microsIn(unit));
    }

    private static @Nullable Step decimal(Schema writer, SlotRule rule) {
        DecimalForm form = new DecimalForm(
                rule,
                writer.getLogicalType() instanceof LogicalTypes.Decimal decimal
                        ? decimal.getScale()
                        : rule.type().scale());
        return switch (writer.getType()) {
            case BYTES -> Step.decimal(rule, form);
            case FIXED -> Step.decimalFixed(rule, writer.getFixedSize(), form);
            default -> null;
        };
    }

    private static @Nullable Step string(Schema writer, SlotRule rule) {
        Schema reader = rule.schema();
        boolean isEnum = reader.getType() == Schema.Type.ENUM;
        return switch (writer.getType()) {
            case STRING, BYTES -> isEnum ? null : Step.plain(Step.Op.BYTES, rule);
            case ENUM -> {
                byte[][] symbols = new byte[writer.getEnumSymbols().size()][];
                for (int i = 0; i < symbols.length; i++) {
                    String symbol = writer.getEnumSymbols().get(i);
                    if (isEnum && !reader.hasEnumSymbol(symbol)) {
                        String fallback = reader.getEnumDefault();
                        symbol = fallback == null ? "" : fallback;
                    }
                    symbols[i] = symbol.getBytes(StandardCharsets.UTF_8);
                }
                yield Step.symbols(rule, symbols);
            }
            default -> null;
        };
    }

    private static @Nullable Step uuid(Schema writer, SlotRule rule) {
        return switch (writer.getType()) {
            case STRING -> Step.plain(Step.Op.UUID_TEXT, rule);
            case FIXED -> writer.getFixedSize() == 16 ? Step.fixed(rule, 16) : null;
            default -> null;
        };
    }

    private static Schema.@Nullable Field find(Schema writer, SlotRule rule) {
        Schema.Field field = writer.getField(rule.name());
        for (String alias : rule.aliases()) {
            field = field == null ? writer.getField(alias) : field;
        }
        return field;
    }

    private static @Nullable String logicalName(Schema schema) {
        LogicalType type = schema.getLogicalType();
        return type == null ? null : type.getName();
    }

    private static String word(Schema schema) {
        String logical = logicalName(schema);
        String plain = schema.getType().getName();
        return logical == null ? plain : plain + " (" + logical + ")";
    }

    private static WriterProgram unreadable(String problem) {
        return new WriterProgram(new Step[0], new Default[0], problem);
    }
}
