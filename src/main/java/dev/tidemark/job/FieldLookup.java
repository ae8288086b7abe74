package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.SourceSchema.SchemaField;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks fields up in the source schema. What is not there, or cannot be read, is a problem; without a schema, which is
 * a problem already, nothing is found and nothing further is said.
 */
final class FieldLookup {
    private static final int LISTED_FIELDS = 40;
    /** How deep lists look into records, which may contain themselves. */
    private static final int LISTED_DEPTH = 2;

    private final @Nullable SourceSchema schema;
    private final Map<String, Field> derived;
    private final Set<String> unknown;
    private final Problems problems;

    FieldLookup(@Nullable SourceSchema schema, Problems problems) {
        this(schema, new LinkedHashMap<>(), new HashSet<>(), problems);
    }

    private FieldLookup(
            @Nullable SourceSchema schema, Map<String, Field> derived, Set<String> unknown, Problems problems) {
        this.schema = schema;
        this.derived = derived;
        this.unknown = unknown;
        this.problems = problems;
    }

    /** The same fields; what is wrong is told elsewhere. */
    FieldLookup reporting(Problems elsewhere) {
        return new FieldLookup(schema, derived, unknown, elsewhere);
    }

    /** Adds a field that the job derives; it is found like one of the schema's. */
    void derive(Field field) {
        derived.put(field.name(), field);
    }

    /** Remembers a derived field whose type is not known; nothing more is said of it. */
    void deriveUnknown(String name) {
        unknown.add(name);
    }

    /** Whether the schema has a field of that name. */
    boolean isInSchema(String name) {
        return schema != null && schema.field(name) != null;
    }

    /** The symbols of an enum field; empty for all others. */
    List<String> symbols(String name) {
        SchemaField field = schema == null || derived.containsKey(name) ? null : schema.field(name);
        return field == null ? List.of() : field.symbols();
    }

    /** The fields of those names, each once. */
    List<Field> fields(String path, @Nullable List<String> names) {
        if (names == null) {
            return List.of();
        }
        if (names.isEmpty()) {
            problems.wrong(path, "is empty", "expected at least one field");
        }
        List<Field> fields = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < names.size(); i++) {
            String place = path + "[" + i + "]";
            if (!seen.add(names.get(i))) {
                problems.wrong(place, "field '" + names.get(i) + "' is named twice", "expected each field once");
                continue;
            }
            Field field = field(place, names.get(i));
            if (field != null) {
                fields.add(field);
            }
        }
        return List.copyOf(fields);
    }

    /** Fields whose values are told apart or put in order exactly. */
    List<Field> keyFields(String path, @Nullable List<String> names) {
        List<Field> fields = fields(path, names);
        for (Field field : fields) {
            if (field.type().isFloatingPoint()) {
                problems.wrong(
                        path + "[" + (names == null ? 0 : names.indexOf(field.name())) + "]",
                        "field '" + field.name() + "' is " + described(field.name())
                                + ", and floating-point numbers are not told apart exactly",
                        "choose a field of another type");
            }
        }
        return fields;
    }

    /** The field of that name. */
    @Nullable
    Field field(String path, String name) {
        Field own = derived.get(name);
        if (own != null || unknown.contains(name)) {
            return own;
        }
        SchemaField field = schemaField(path, name);
        return field == null || field.type() == null ? null : new Field(name, field.type());
    }

    /** The field of the schema if a job can read it; else that is a problem. */
    @Nullable
    SchemaField schemaField(String path, String name) {
        if (schema == null) {
            return null;
        }
        SchemaField field = schema.field(name);
        if (field == null) {
            absent(path, name, schema);
            return null;
        }
        if (field.type() == null) {
            problems.wrong(
                    path, "field '" + name + "' is " + field.described() + ", which a job cannot read", way(field));
            return null;
        }
        return field;
    }

    /** Says at which of its parts a path leaves the schema. */
    private void absent(String path, String name, SourceSchema schema) {
        SchemaField around = null;
        String reached = "";
        for (String part : name.split("\\.", -1)) {
            String further = reached.isEmpty() ? part : reached + "." + part;
            SchemaField found = schema.field(further);
            if (found != null) {
                around = found;
                reached = further;
                continue;
            }
            List<SchemaField> level = around == null ? schema.fields() : around.fields();
            List<String> paths = new ArrayList<>(paths(reached, level));
            if (around == null) {
                paths.addAll(derived.keySet());
            }
            String wrong = "field '" + name + "' is not in the schema";
            if (around != null && level.isEmpty()) {
                problems.wrong(
                        path,
                        wrong + ": '" + reached + "' is " + around.described(),
                        "a path leads through records, or unions of one record with null");
                return;
            }
            if (!part.equals(name)) {
                wrong += ": " + (around == null ? "it" : "'" + reached + "'") + " has no '" + part + "'";
            }
            problems.wrong(path, wrong, Nearest.question(further, paths) + "fields: " + listed(paths));
            return;
        }
    }

    /** What to name instead of a field that is no value. */
    private static String way(SchemaField field) {
        List<String> inside = paths(field.name(), field.fields());
        if (!inside.isEmpty()) {
            return "expected one of its fields: " + listed(inside);
        }
        String readable =
                "expected boolean, int, long, float, double, string, enum, bytes, fixed, date, time, timestamp in"
                        + " milli- or microseconds, decimal or uuid, or a union of one of them with null";
        return field.described().endsWith("-nanos")
                ? readable
                        + "; this schema may say microseconds where the records have nanoseconds, which are then cut off"
                : readable;
    }

    private static List<String> paths(String around, List<SchemaField> level) {
        String prefix = around.isEmpty() ? "" : around + ".";
        return level.stream().map(field -> prefix + field.name()).toList();
    }

    /** The type of a field in the schema's words, or in SQL's if the job derives it. */
    String described(String name) {
        Field own = derived.get(name);
        if (own != null) {
            return own.type().sql();
        }
        SchemaField field = schema == null ? null : schema.field(name);
        return field == null ? "unknown" : field.described();
    }

    private static String listed(List<String> names) {
        if (names.isEmpty()) {
            return "none";
        }
        String rest = names.size() > LISTED_FIELDS ? ", and " + (names.size() - LISTED_FIELDS) + " more" : "";
        return names.stream().limit(LISTED_FIELDS).collect(Collectors.joining(", ", "", rest));
    }

    /** The field of that name, which must be an instant. */
    @Nullable
    Field timestamp(String path, String name) {
        Field field = field(path, name);
        if (field == null || field.type().kind() == Kind.TIMESTAMP) {
            return field;
        }
        String allowed = "expected a timestamp-millis or timestamp-micros field";
        String hint = switch (field.type().kind()) {
            case LONG ->
                "; if it counts milliseconds, say so in the schema: {\"type\": \"long\", \"logicalType\":"
                        + " \"timestamp-millis\"}";
            case LOCAL_TIMESTAMP ->
                "; a local timestamp does not say which instant it is: of the hour that clocks repeat it names two, of the"
                        + " hour that they skip none. Let the record carry the instant";
            default -> "";
        };
        problems.wrong(path, "field '" + name + "' is " + described(name) + ", not a timestamp", allowed + hint);
        return null;
    }

    /** The names of the fields that can be summed. */
    String numbers() {
        List<String> numbers = new ArrayList<>();
        if (schema != null) {
            numbers("", schema.fields(), 0, numbers);
        }
        derived.values().stream()
                .filter(field -> Types.isNumber(field.type()))
                .forEach(field -> numbers.add(field.name()));
        return listed(numbers);
    }

    private static void numbers(String around, List<SchemaField> level, int depth, List<String> numbers) {
        for (SchemaField field : level) {
            String path = around.isEmpty() ? field.name() : around + "." + field.name();
            if (field.type() == null && depth < LISTED_DEPTH) {
                numbers(path, field.fields(), depth + 1, numbers);
            } else if (field.type() != null && Types.isNumber(field.type())) {
                numbers.add(path);
            }
        }
    }
}
