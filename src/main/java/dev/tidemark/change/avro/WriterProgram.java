package dev.tidemark.change.avro;

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
 *
 * <p>Which schemas match is Avro's to say, down to the names of enums and fixed types; see {@link #resolves}. The times and
 * decimals of matching schemas are read in the writer's unit and scale.
 */
final class WriterProgram {
    final Step[] steps;
    /** Why no record of the schema can be read; null: they can. */
    final @Nullable String problem;

    private WriterProgram(Step[] steps, @Nullable String problem) {
        this.steps = steps;
        this.problem = problem;
    }

    /** @param reader the record that the job reads, as far as it leads to slots */
    static WriterProgram of(String writerSchema, FieldNode reader) {
        Schema writer;
        try {
            writer = new Schema.Parser(NameValidator.NO_VALIDATION)
                    .setValidateDefaults(false)
                    .parse(writerSchema);
        } catch (RuntimeException | StackOverflowError e) { // Avro's parser throws more than its own exceptions
            return unreadable("the writer schema cannot be read: " + e.getMessage());
        }
        if (writer.getType() != Schema.Type.RECORD) {
            return unreadable("the writer schema is no record but " + word(writer));
        }
        try {
            writer = Schema.applyAliases(writer, reader.whole());
        } catch (RuntimeException | StackOverflowError e) {
            return unreadable(
                    "the aliases of the reader schema cannot be applied to the writer schema: " + e.getMessage());
        }
        try {
            return new WriterProgram(record(writer, reader), null);
        } catch (StackOverflowError e) {
            return unreadable("the writer schema is nested too deeply");
        }
    }

    /** The step that reads values of a writer's schema into the slots of a field. */
    static Step step(Schema writer, FieldNode node) {
        if (writer.getType() != Schema.Type.UNION) {
            return branch(writer, node);
        }
        return Step.union(
                node, writer.getTypes().stream().map(type -> branch(type, node)).toArray(Step[]::new));
    }

    private static Step[] record(Schema writer, FieldNode reader) {
        @Nullable FieldNode[] byPosition = new FieldNode[writer.getFields().size()];
        List<Step> others = new ArrayList<>();
        for (FieldNode node : reader.fields()) {
            Schema.Field field = writer.getField(node.name());
            if (field != null) {
                byPosition[field.pos()] = node;
            } else if (node.fallback() != null) {
                others.add(Step.constant(node, node.fallback().array(), step(node.whole(), node)));
            } else {
                others.add(Step.mismatch(
                        node,
                        DatumShape.nothing(),
                        "field " + node.path() + " is not in the writer schema, and the reader schema gives no default"
                                + aliasHint(writer, reader, node)));
            }
        }
        List<Step> steps = fields(writer, byPosition);
        steps.addAll(others);
        return steps.toArray(Step[]::new);
    }

    private static List<Step> fields(Schema writer, @Nullable FieldNode[] byPosition) {
        List<Step> steps = new ArrayList<>();
        List<DatumShape> passed = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Schema.Field field : writer.getFields()) {
            FieldNode node = byPosition[field.pos()];
            if (node == null) {
                passed.add(Shapes.of(field.schema()));
                names.add(field.name());
                continue;
            }
            skip(passed, names, steps);
            steps.add(step(field.schema(), node));
        }
        skip(passed, names, steps);
        return steps;
    }

    private static void skip(List<DatumShape> passed, List<String> names, List<Step> steps) {
        if (!passed.isEmpty()) {
            steps.add(Step.skip(DatumShape.record().fields(passed), List.copyOf(names)));
            passed.clear();
            names.clear();
        }
    }

    /** Avro applies a field's aliases only to a record of the same name, which surprises people. */
    private static String aliasHint(Schema writer, FieldNode reader, FieldNode node) {
        boolean isThere = node.aliases().stream().anyMatch(alias -> writer.getField(alias) != null);
        return isThere
                ? "; its aliases hold for a record named " + reader.value().getFullName()
                        + ", and the writer's is named " + writer.getFullName() + ": make that an alias of the record"
                : "";
    }

    private static Step branch(Schema writer, FieldNode node) {
        if (writer.getType() == Schema.Type.NULL) {
            return node.nullable() ? Step.nothing(node) : Step.missing(node);
        }
        SlotRule rule = node.rule();
        Step step = null;
        if (rule == null) {
            step = writer.getType() == Schema.Type.RECORD ? Step.record(node, record(writer, node)) : null;
        } else if (resolves(writer, node) && isSameKind(writer, rule)) {
            step = value(writer, rule);
        }
        return step != null
                ? step
                : Step.mismatch(
                        node,
                        Shapes.of(writer),
                        "field " + node.path() + ": " + word(writer) + " cannot be read as " + word(node.value()));
    }

    /**
     * Whether Avro reads values of the writer's schema, which is no union, record, array or map, as the field's. Names match
     * without their namespaces, as the specification has it; in a reader's union Avro's own reader is stricter at times.
     */
    private static boolean resolves(Schema writer, FieldNode node) {
        Schema reader = node.value();
        Schema.Type type = writer.getType();
        if (type == reader.getType()) {
            return switch (type) {
                case ENUM -> writer.getName().equals(reader.getName());
                case FIXED ->
                    writer.getName().equals(reader.getName()) && writer.getFixedSize() == reader.getFixedSize();
                default -> true;
            };
        }
        return switch (reader.getType()) {
            case LONG -> type == Schema.Type.INT;
            case FLOAT -> type == Schema.Type.INT || type == Schema.Type.LONG;
            case DOUBLE -> type == Schema.Type.INT || type == Schema.Type.LONG || type == Schema.Type.FLOAT;
            case STRING -> type == Schema.Type.BYTES;
            case BYTES -> type == Schema.Type.STRING;
            default -> false;
        };
    }

    /** Whether the writer means what the reader means. A writer that says nothing is taken at the reader's word. */
    private static boolean isSameKind(Schema writer, SlotRule rule) {
        String written = logicalName(writer);
        FieldType.Kind kind = rule.type().kind();
        if (written == null) {
            return kind != FieldType.Kind.DECIMAL || writer.getType() != Schema.Type.STRING;
        }
        return switch (kind) {
            case DATE -> written.equals("date");
            case TIME -> written.startsWith("time-");
            case TIMESTAMP -> written.startsWith("timestamp-");
            case LOCAL_TIMESTAMP -> written.startsWith("local-timestamp-");
            case DECIMAL -> written.equals("decimal");
            case UUID -> written.equals("uuid");
            default -> true;
        };
    }

    /** The step for a schema that resolves. */
    private static @Nullable Step value(Schema writer, SlotRule rule) {
        Schema.Type type = writer.getType();
        return switch (rule.type().kind()) {
            case BOOLEAN -> Step.plain(Step.Op.BOOLEAN, rule);
            case INT, DATE, LONG -> Step.plain(type == Schema.Type.INT ? Step.Op.INT : Step.Op.LONG, rule);
            case FLOAT -> Step.plain(type == Schema.Type.FLOAT ? Step.Op.FLOAT : Step.Op.LONG_AS_FLOAT, rule);
            case DOUBLE ->
                Step.plain(
                        switch (type) {
                            case DOUBLE -> Step.Op.DOUBLE;
                            case FLOAT -> Step.Op.FLOAT;
                            default -> Step.Op.LONG_AS_DOUBLE;
                        },
                        rule);
            case TIME -> Step.time(Step.Op.TIME_OF_DAY, rule, SlotRule.microsIn(unit(writer, rule)));
            case TIMESTAMP, LOCAL_TIMESTAMP -> time(unit(writer, rule), rule);
            case DECIMAL -> decimal(writer, rule);
            case STRING -> type == Schema.Type.ENUM ? symbols(writer, rule) : Step.plain(Step.Op.BYTES, rule);
            case BYTES ->
                type == Schema.Type.FIXED ? Step.fixed(rule, writer.getFixedSize()) : Step.plain(Step.Op.BYTES, rule);
            case UUID -> type == Schema.Type.FIXED ? Step.fixed(rule, writer.getFixedSize()) : Step.uuidText(rule);
        };
    }

    /** The unit is the writer's if it names one, else the reader's. */
    private static @Nullable String unit(Schema writer, SlotRule rule) {
        String written = logicalName(writer);
        return written == null ? logicalName(rule.schema()) : written;
    }

    private static Step time(@Nullable String unit, SlotRule rule) {
        return unit != null && unit.endsWith("-nanos")
                ? Step.plain(Step.Op.NANOS, rule)
                : Step.time(Step.Op.TIME, rule, SlotRule.microsIn(unit));
    }

    private static Step decimal(Schema writer, SlotRule rule) {
        DecimalForm form = new DecimalForm(
                rule,
                logicalType(writer) instanceof LogicalTypes.Decimal decimal
                        ? decimal.getScale()
                        : rule.type().scale());
        return writer.getType() == Schema.Type.FIXED
                ? Step.decimalFixed(rule, writer.getFixedSize(), form)
                : Step.decimal(rule, form);
    }

    private static Step symbols(Schema writer, SlotRule rule) {
        Schema reader = rule.schema();
        byte[][] symbols = new byte[writer.getEnumSymbols().size()][];
        for (int i = 0; i < symbols.length; i++) {
            String symbol = writer.getEnumSymbols().get(i);
            if (!reader.hasEnumSymbol(symbol)) {
                String fallback = reader.getEnumDefault();
                symbol = fallback == null ? "" : fallback;
            }
            symbols[i] = symbol.getBytes(StandardCharsets.UTF_8);
        }
        return Step.symbols(rule, symbols, List.copyOf(writer.getEnumSymbols()));
    }

    /** Also of a type that an alias has renamed, which has lost it. */
    private static @Nullable LogicalType logicalType(Schema schema) {
        LogicalType type = schema.getLogicalType();
        return type == null ? LogicalTypes.fromSchemaIgnoreInvalid(schema) : type;
    }

    private static @Nullable String logicalName(Schema schema) {
        LogicalType type = logicalType(schema);
        return type == null ? null : type.getName();
    }

    private static String word(Schema schema) {
        String plain = switch (schema.getType()) {
            case ENUM, RECORD -> schema.getType().getName() + " " + schema.getFullName();
            case FIXED -> "fixed " + schema.getFullName() + " of " + schema.getFixedSize() + " bytes";
            default -> schema.getType().getName();
        };
        String logical = logicalName(schema);
        return logical == null ? plain : plain + " (" + logical + ")";
    }

    private static WriterProgram unreadable(String problem) {
        return new WriterProgram(new Step[0], problem);
    }
}
