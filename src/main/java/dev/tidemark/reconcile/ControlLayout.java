package dev.tidemark.reconcile;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which column of control totals is the target's partition, which ones are keys and which ones measures; and what their text
 * means. The partition column is called as in the target, and so are keys, of which there may be all, some or none. Measures
 * are called as in the target too, or as a mapping says; without a mapping there may be no other columns, so that a
 * misspelt one is not passed over.
 *
 * <p>Strict on purpose: a week that begins on another day, an instant that is not the beginning of its partition, or nothing
 * where a number belongs would be compared with the wrong thing or not at all.
 */
public final class ControlLayout {
    private static final int DIGITS = 200;

    /** What databases make of a date that was cut off from a timestamp. */
    private static final String MIDNIGHT = "\\d{4}-\\d\\d-\\d\\dT00:00(:00(\\.0+)?)?";

    private final Calendar calendar;
    private final List<Field> keys;
    private final List<Measure> measures;
    private final int partitionPlace;
    private final List<Integer> keyPlaces;
    private final List<Integer> measurePlaces;
    private final int width;
    private final List<String> header;

    private ControlLayout(
            Calendar calendar,
            List<Field> keys,
            List<Measure> measures,
            int partitionPlace,
            List<Integer> keyPlaces,
            List<Integer> measurePlaces,
            List<String> header) {
        this.calendar = calendar;
        this.keys = List.copyOf(keys);
        this.measures = List.copyOf(measures);
        this.partitionPlace = partitionPlace;
        this.keyPlaces = List.copyOf(keyPlaces);
        this.measurePlaces = List.copyOf(measurePlaces);
        this.width = header.size();
        this.header = List.copyOf(header);
    }

    /**
     * Reads a header.
     *
     * @param written the names of the columns; whether in capitals or not does not matter
     * @param mapping measure of the target to column of the control; empty: all measures are called as in the target
     * @throws ControlException with all that is wrong with it
     */
    public static ControlLayout of(JobPlan plan, String origin, List<String> written, Map<String, String> mapping) {
        List<String> problems = new ArrayList<>();
        List<String> header = spelt(plan, written, mapping);
        Map<String, Integer> places = places(header, problems);
        String partition = plan.partition().column();
        Integer partitionPlace = places.get(partition);
        if (partitionPlace == null) {
            problems.add("the header has no column " + partition + ", the partition of the target; it has "
                    + String.join(", ", header));
        }
        List<Field> keys = new ArrayList<>();
        List<Integer> keyPlaces = new ArrayList<>();
        Set<String> known = new HashSet<>(Set.of(partition));
        for (Field key : plan.target().key()) {
            Integer place = places.get(key.column());
            if (place != null) {
                keys.add(key);
                keyPlaces.add(place);
                known.add(key.column());
            }
        }
        Map<Measure, Integer> measures =
                mapping.isEmpty() ? named(plan, places, known, problems) : mapped(plan, places, mapping, problems);
        if (measures.isEmpty() && problems.isEmpty()) {
            problems.add("the header has no measure; those of the target are " + words(Measure.of(plan)));
        }
        if (!problems.isEmpty() || partitionPlace == null) {
            throw ControlException.of(origin, problems);
        }
        return new ControlLayout(
                new Calendar(plan.partition().grain(), plan.partition().zone()),
                keys,
                List.copyOf(measures.keySet()),
                partitionPlace,
                keyPlaces,
                List.copyOf(measures.values()),
                header);
    }

    /** Names as the target spells them: databases write them in capitals or not as they please. */
    private static List<String> spelt(JobPlan plan, List<String> written, Map<String, String> mapping) {
        Set<String> names = new LinkedHashSet<>(mapping.values());
        names.add(plan.partition().column());
        plan.target().key().forEach(key -> names.add(key.column()));
        Measure.of(plan).forEach(measure -> names.add(measure.column()));
        return written.stream()
                .map(name -> {
                    List<String> alike = names.contains(name)
                            ? List.of()
                            : names.stream().filter(name::equalsIgnoreCase).toList();
                    return alike.size() == 1 ? alike.get(0) : name;
                })
                .toList();
    }

    private static Map<String, Integer> places(List<String> header, List<String> problems) {
        Map<String, Integer> places = new LinkedHashMap<>();
        for (int i = 0; i < header.size(); i++) {
            if (places.putIfAbsent(header.get(i), i) != null) {
                problems.add("the header has two columns " + header.get(i));
            }
        }
        return places;
    }

    private static Map<Measure, Integer> named(
            JobPlan plan, Map<String, Integer> places, Set<String> known, List<String> problems) {
        Map<Measure, Integer> measures = new LinkedHashMap<>();
        List<Measure> all = Measure.of(plan);
        places.forEach((name, place) -> {
            if (known.contains(name)) {
                return;
            }
            all.stream()
                    .filter(one -> one.column().equals(name))
                    .findFirst()
                    .ifPresentOrElse(
                            measure -> measures.put(measure, place),
                            () -> problems.add("the column " + name + " is " + why(plan, name)
                                    + "; measures are " + words(all)
                                    + ". Rename it, or say with --measure which columns are meant"));
        });
        return measures;
    }

    private static Map<Measure, Integer> mapped(
            JobPlan plan, Map<String, Integer> places, Map<String, String> mapping, List<String> problems) {
        Map<Measure, Integer> measures = new LinkedHashMap<>();
        List<Measure> all = Measure.of(plan);
        mapping.forEach((name, column) -> {
            Measure measure = all.stream()
                    .filter(one -> one.column().equals(name))
                    .findFirst()
                    .orElse(null);
            Integer place = places.get(column);
            if (measure == null) {
                problems.add("--measure: " + name + " is " + why(plan, name) + "; measures are " + words(all));
            }
            if (place == null) {
                problems.add("the header has no column " + column + ", which --measure names; it has "
                        + String.join(", ", places.keySet()));
            }
            if (measure != null && place != null) {
                measures.put(measure, place);
            }
        });
        return measures;
    }

    private static String why(JobPlan plan, String name) {
        return plan.target().columns().stream().anyMatch(column -> column.name().equals(name))
                ? "a column of the target that does not add up over rows"
                : "no column of the target";
    }

    private static String words(List<Measure> measures) {
        return String.join(", ", measures.stream().map(Measure::column).toList());
    }

    /** The key columns that the control has, in the order of the target. */
    public List<Field> keys() {
        return keys;
    }

    /** What is compared. */
    public List<Measure> measures() {
        return measures;
    }

    /**
     * Understands a line.
     *
     * @param lineWord what a line is called
     * @param problems takes what is wrong with it, each with its place
     * @return null if something is
     */
    public @Nullable ControlRow read(ControlTotals.Line line, String lineWord, Consumer<String> problems) {
        String where = lineWord + " " + line.number() + ": ";
        if (line.values().size() != width) {
            problems.accept(where + "has " + line.values().size() + " values, the header has " + width + " columns");
            return null;
        }
        Reading reading = new Reading(where, problems);
        String partition = reading.take(line, partitionPlace, this::partition);
        List<String> key = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            Field field = keys.get(i);
            String value = reading.take(line, keyPlaces.get(i), text -> key(field, text));
            key.add(value == null ? "" : value);
        }
        List<BigDecimal> values = new ArrayList<>();
        for (int place : measurePlaces) {
            BigDecimal value = reading.take(line, place, ControlLayout::number);
            values.add(value == null ? BigDecimal.ZERO : value);
        }
        return partition == null || reading.failed ? null : new ControlRow(line.number(), partition, key, values);
    }

    /** What a value means; throws {@link Wrong} or an exception of {@code java.time} if nothing. */
    private interface Meaning<T> {
        T of(String text);
    }

    /** A value that means nothing; the message says what was expected. */
    private static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private Wrong(String expected) {
            super(expected);
        }
    }

    /** The reading of one line. */
    private final class Reading {
        private final String where;
        private final Consumer<String> problems;
        private boolean failed;

        private Reading(String where, Consumer<String> problems) {
            this.where = where;
            this.problems = problems;
        }

        private <T> @Nullable T take(ControlTotals.Line line, int place, Meaning<T> meaning) {
            String text = line.values().get(place);
            String name = header.get(place);
            if (text == null || text.isEmpty()) {
                failed = true;
                problems.accept(
                        where + name + " is empty" + (measurePlaces.contains(place) ? "; write 0 for none" : ""));
                return null;
            }
            try {
                return meaning.of(text);
            } catch (Wrong wrong) {
                failed = true;
                problems.accept(where + name + ": '" + text + "' is not " + wrong.getMessage());
                return null;
            }
        }
    }

    private String partition(String text) {
        Grain grain = calendar.grain();
        try {
            if (text.indexOf('T') < 0) {
                if (grain == Grain.HOUR) {
                    throw new Wrong("an instant such as 2024-03-10T14:00:00Z");
                }
                LocalDate date = LocalDate.parse(text);
                return date(date);
            }
            if (grain != Grain.HOUR && text.matches(MIDNIGHT)) {
                return date(LocalDateTime.parse(text).toLocalDate());
            }
            long micros = Values.micros(OffsetDateTime.parse(text).toInstant());
            long partition = calendar.partitionOf(micros);
            if (calendar.startOf(partition) != micros) {
                throw new Wrong("where a partition begins, by the " + grain.word() + " in " + calendar.zone());
            }
            return calendar.iso(partition);
        } catch (DateTimeException | ArithmeticException wrong) {
            throw new Wrong(
                    grain == Grain.HOUR ? "an instant such as 2024-03-10T14:00:00Z" : "a date such as 2024-03-10");
        }
    }

    private String date(LocalDate date) {
        String first = calendar.iso(calendar.partitionFrom(date));
        if (!first.equals(date.toString())) {
            throw new Wrong("the first day of a " + calendar.grain().word() + "; it begins on " + first);
        }
        return first;
    }

    private static BigDecimal number(String text) {
        try {
            BigDecimal value = new BigDecimal(text);
            if (Math.abs((long) value.scale()) + value.precision() > DIGITS) {
                throw new Wrong("a number of at most " + DIGITS + " digits");
            }
            return value;
        } catch (NumberFormatException wrong) {
            throw new Wrong("a number such as 1234.50");
        }
    }

    /** A key in a form that the database of the target reads as the very value. */
    private static String key(Field field, String text) {
        try {
            return switch (field.type().kind()) {
                case STRING -> {
                    if (text.indexOf('\0') >= 0) {
                        throw new Wrong("text without zero bytes");
                    }
                    yield text;
                }
                case BOOLEAN -> bool(text);
                case INT -> Integer.toString(Integer.parseInt(text));
                case LONG -> Long.toString(Long.parseLong(text));
                case DECIMAL, FLOAT, DOUBLE -> decimal(field, text); // no key is a float
                case UUID -> UUID.fromString(text).toString();
                case DATE -> LocalDate.parse(text).toString();
                case TIME -> LocalTime.parse(text).toString();
                case TIMESTAMP -> Instant.from(OffsetDateTime.parse(text)).toString();
                case LOCAL_TIMESTAMP -> LocalDateTime.parse(text).toString();
                case BYTES -> bytes(text);
            };
        } catch (DateTimeException | IllegalArgumentException wrong) {
            throw new Wrong("of the type " + field.type().sql());
        }
    }

    private static String decimal(Field field, String text) {
        BigDecimal value = number(text);
        int scale = field.type().scale();
        int whole = value.precision() - value.scale();
        if (value.stripTrailingZeros().scale() > scale || whole > field.type().precision() - scale) {
            throw new Wrong("of the type " + field.type().sql());
        }
        return value.toPlainString();
    }

    private static String bool(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "t" -> "true";
            case "false", "f" -> "false";
            default -> throw new Wrong("true or false");
        };
    }

    private static String bytes(String text) {
        if (!text.startsWith("\\x")) {
            throw new Wrong("bytes such as \\x00ff");
        }
        return "\\x" + HexFormat.of().formatHex(HexFormat.of().parseHex(text.substring(2)));
    }
}
