package dev.tidemark.job.yaml;

import dev.tidemark.job.Durations;
import dev.tidemark.job.Nearest;
import dev.tidemark.job.Problems;
import dev.tidemark.job.Shape.Allowed;
import dev.tidemark.job.Shape.Mandatory;
import dev.tidemark.job.Shape.OrEmptyMapping;
import dev.tidemark.job.Shape.Shorthand;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Binds YAML nodes to records: a key is a component, and its type says what may stand there. What cannot be bound is a
 * problem and leaves null behind, so that the rest is bound and checked too.
 *
 * <p>Components are {@code String}, {@code Integer}, {@code Boolean}, {@code Duration}, {@code LocalDate}, enums (by
 * their names in small letters), records, {@code List<String>} (one name stands for a list of one) and {@code
 * Map<String, record>} and {@code Map<String, String>}.
 */
final class Binder {
    private final Variables variables;
    private final Problems problems;

    Binder(Variables variables, Problems problems) {
        this.variables = variables;
        this.problems = problems;
    }

    /** The record that the node writes; null if it is not a mapping at all. */
    <T extends Record> @Nullable T bind(Node node, Class<T> type, String path) {
        Shorthand shorthand = type.getAnnotation(Shorthand.class);
        if (shorthand != null && !(node instanceof MappingNode)) {
            return create(
                    type,
                    component -> component.getName().equals(shorthand.value())
                            ? value(node, component.getGenericType(), component, path)
                            : null);
        }
        String allowed = "a mapping with the keys " + String.join(", ", keys(type));
        if (!(node instanceof MappingNode mapping)) {
            wrongType(node, path, allowed);
            return null;
        }
        Map<String, Node> written = entries(mapping, path);
        written.keySet().forEach(key -> knownKey(key, below(path, key), keys(type)));
        return create(type, component -> {
            String place = below(path, component.getName());
            Node value = written.get(component.getName());
            if (value != null) {
                return value(value, component.getGenericType(), component, place);
            }
            Mandatory mandatory = component.getAnnotation(Mandatory.class);
            if (mandatory != null && !written.containsKey(mandatory.unless())) {
                problems.missing(place, expected(allowed(component)));
            }
            return null;
        });
    }

    /** The keys of a record, as a job file writes them. */
    static List<String> keys(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .toList();
    }

    private void knownKey(String key, String place, List<String> known) {
        if (!known.contains(key)) {
            problems.wrong(
                    place,
                    "unknown key '" + key + "'",
                    Nearest.question(key, known) + "keys: " + String.join(", ", known));
        }
    }

    /** The mapping's entries in their order, a repeated key reported and its first value kept. */
    private Map<String, Node> entries(MappingNode mapping, String path) {
        Map<String, Node> entries = new LinkedHashMap<>();
        Map<String, Integer> lines = new LinkedHashMap<>();
        for (NodeTuple tuple : mapping.getValue()) {
            Node keyNode = tuple.getKeyNode();
            if (!(keyNode instanceof ScalarNode scalar)) {
                problems.at(line(keyNode), path, "a key is " + kind(keyNode), "keys are plain words");
                continue;
            }
            String key = scalar.getValue();
            String place = below(path, key);
            Integer first = lines.putIfAbsent(key, line(keyNode));
            if (first != null) {
                problems.at(line(keyNode), place, "is given twice", "the first is in line " + first);
                continue;
            }
            problems.written(place, line(keyNode));
            entries.put(key, tuple.getValueNode());
        }
        return entries;
    }

    private @Nullable Object value(Node node, Type declared, RecordComponent component, String path) {
        if (declared instanceof ParameterizedType generic) {
            if (generic.getRawType() == List.class) {
                return list(node, path);
            }
            Class<?> type = (Class<?>) generic.getActualTypeArguments()[1];
            return type == String.class ? texts(node, path) : map(node, type, component, path);
        }
        Class<?> plain = (Class<?>) declared;
        if (plain.isRecord()) {
            return bind(node, plain.asSubclass(Record.class), path);
        }
        if (node instanceof MappingNode mapping
                && mapping.getValue().isEmpty()
                && component.isAnnotationPresent(OrEmptyMapping.class)) {
            return "";
        }
        return scalar(node, plain, allowed(component), path);
    }

    private @Nullable List<String> list(Node node, String path) {
        if (!(node instanceof SequenceNode sequence)) {
            String only = (String) scalar(node, String.class, "a name or a list of names", path);
            return only == null ? null : List.of(only);
        }
        List<String> names = new ArrayList<>();
        for (Node element : sequence.getValue()) {
            String place = path + "[" + names.size() + "]";
            problems.written(place, line(element));
            String name = (String) scalar(element, String.class, "a name", place);
            if (name == null) {
                return null;
            }
            names.add(name);
        }
        return List.copyOf(names);
    }

    /** Names with plain values, which may be numbers too: what another program makes of them is its own affair. */
    private @Nullable Map<String, String> texts(Node node, String path) {
        if (!(node instanceof MappingNode mapping)) {
            wrongType(node, path, "a mapping of names to values");
            return null;
        }
        Map<String, String> values = new LinkedHashMap<>();
        entries(mapping, path).forEach((name, value) -> {
            String place = below(path, name);
            if (!(value instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
                wrongType(value, place, "a value");
                return;
            }
            String text =
                    variables.replaced(scalar.getValue(), (wrong, wayOut) -> problems.wrong(place, wrong, wayOut));
            if (text != null) {
                values.put(name, text);
            }
        });
        return Collections.unmodifiableMap(values);
    }

    private <V> @Nullable Map<String, V> map(Node node, Class<V> type, RecordComponent component, String path) {
        if (!(node instanceof MappingNode mapping)) {
            wrongType(node, path, "a mapping of names to " + component.getName());
            return null;
        }
        Map<String, V> values = new LinkedHashMap<>();
        entries(mapping, path).forEach((name, value) -> {
            V bound = type.cast(
                    type == String.class
                            ? scalar(value, type, "an expression", below(path, name))
                            : bind(value, type.asSubclass(Record.class), below(path, name)));
            if (bound != null) {
                values.put(name, bound);
            }
        });
        // All were wrong, which is said already; an empty mapping would be another problem.
        return values.isEmpty() && !mapping.getValue().isEmpty() ? null : Collections.unmodifiableMap(values);
    }

    private @Nullable Object scalar(Node node, Class<?> type, String allowed, String path) {
        if (!(node instanceof ScalarNode scalar)) {
            wrongType(node, path, allowed);
            return null;
        }
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.NULL)) {
            problems.wrong(path, "has no value", expected(allowed));
            return null;
        }
        String text = variables.replaced(scalar.getValue(), (wrong, wayOut) -> problems.wrong(path, wrong, wayOut));
        if (text == null) {
            return null;
        }
        boolean isVariable = !text.equals(scalar.getValue());
        if (!isVariable && type == String.class && !tag.equals(Tag.STR)) {
            wrongType(node, path, allowed + "; quote it if it is meant as text");
            return null;
        }
        if (text.isBlank()) {
            problems.wrong(path, "is empty", expected(allowed));
            return null;
        }
        boolean isText = !isVariable && tag.equals(Tag.STR);
        Object value = switch (type.getSimpleName()) {
            case "String" -> text;
            case "Integer" -> isText ? null : integer(text);
            case "Boolean" -> isText ? null : truth(text);
            case "Duration" -> Durations.parse(text);
            case "LocalDate" -> date(text);
            default -> constant(type, text);
        };
        if (value == null) {
            problems.wrong(path, quoted(text, tag), expected(allowed));
        }
        return value;
    }

    private static String quoted(String text, Tag tag) {
        return tag.equals(Tag.STR) ? "'" + text + "' is not allowed" : text + " is not allowed";
    }

    private static @Nullable Integer integer(String text) {
        try {
            return Integer.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> null;
        };
    }

    private static @Nullable LocalDate date(String text) {
        try {
            LocalDate date = LocalDate.parse(text);
            return date.getYear() < 1 || date.getYear() > 9999 ? null : date;
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static @Nullable Object constant(Class<?> type, String text) {
        for (Object constant : type.getEnumConstants()) {
            if (word(constant).equals(text)) {
                return constant;
            }
        }
        return null;
    }

    private static String word(Object constant) {
        return ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String allowed(RecordComponent component) {
        Allowed allowed = component.getAnnotation(Allowed.class);
        if (allowed != null) {
            return allowed.value();
        }
        Class<?> type = component.getType();
        if (type.isRecord()) {
            return "a mapping with the keys " + String.join(", ", keys(type));
        }
        if (type.isEnum()) {
            List<String> words =
                    Arrays.stream(type.getEnumConstants()).map(Binder::word).toList();
            int last = words.size() - 1;
            return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
        }
        return switch (type.getSimpleName()) {
            case "Integer" -> "a whole number";
            case "Boolean" -> "true or false";
            case "Duration" -> Durations.FORMS;
            case "LocalDate" -> "a date such as 2026-01-31";
            case "List" -> "a name or a list of names";
            case "Map" -> "a mapping";
            default -> "text";
        };
    }

    private void wrongType(Node node, String path, String allowed) {
        problems.wrong(path, "is " + kind(node), expected(allowed));
    }

    private static String expected(String allowed) {
        return "expected " + allowed;
    }

    private static String kind(Node node) {
        if (node instanceof MappingNode) {
            return "a mapping";
        }
        if (node instanceof SequenceNode) {
            return "a list";
        }
        Tag tag = node.getTag();
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
            return "a number";
        }
        if (tag.equals(Tag.BOOL)) {
            return "true or false";
        }
        return tag.equals(Tag.NULL) ? "without value" : "text";
    }

    private static String below(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private static int line(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    }

    /** How a component gets its value. */
    private interface Values {
        @Nullable
        Object of(RecordComponent component);
    }

    private static <T extends Record> T create(Class<T> type, Values values) {
        RecordComponent[] components = type.getRecordComponents();
        Object[] arguments = Arrays.stream(components).map(values::of).toArray();
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Constructor<T> constructor = type.getDeclaredConstructor(types);
            return constructor.newInstance(arguments);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("record " + type.getName() + " cannot be made", e);
        }
    }
}
