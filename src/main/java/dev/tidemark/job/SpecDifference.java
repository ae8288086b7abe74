package dev.tidemark.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One value that two specs, as {@link JobSpec#json} writes them, say otherwise.
 *
 * @param path where it stands, {@code partition.zone}; of lists whose elements have names, by the name
 * @param before what it was, as JSON; {@code nothing} if it was not there
 * @param now what it is, likewise
 */
public record SpecDifference(String path, String before, String now) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What {@link JobSpec#fingerprint} is made of: each with all that stands below it. */
    private static final List<String> OF_THE_STATE = List.of(
            "job",
            "source.logs",
            "fields",
            "where",
            "changes",
            "time.event",
            "time.observed",
            "time.observedField",
            "time.frontier",
            "partition.grain",
            "partition.zone",
            "target.schema",
            "target.table",
            "target.key",
            "target.columns",
            "identity");

    /** Each value that differs, in the order of their paths. */
    public static List<SpecDifference> between(String before, String now) {
        List<SpecDifference> differences = new ArrayList<>();
        try {
            compare("", MAPPER.readTree(before), MAPPER.readTree(now), differences);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("a spec is JSON", notJson);
        }
        return differences;
    }

    /** Those of {@link #between} that the state cannot follow. */
    public static List<SpecDifference> ofTheState(String before, String now) {
        return between(before, now).stream()
                .filter(SpecDifference::isOfTheState)
                .toList();
    }

    /** Whether the state means something else because of it: then what was written before cannot be gone on with. */
    public boolean isOfTheState() {
        // A topic in the place of files, or the reverse; another topic is for the source to judge.
        return path.equals("source.kafka")
                || OF_THE_STATE.stream().anyMatch(part -> path.equals(part) || path.startsWith(part + "."));
    }

    /** {@code partition.zone: "Europe/Berlin" is now "UTC"}. */
    public String text() {
        return path + ": " + before + " is now " + now;
    }

    private static void compare(String path, JsonNode before, JsonNode now, List<SpecDifference> differences) {
        if (before.equals(now)) {
            return;
        }
        Map<String, JsonNode> partsBefore = parts(before);
        Map<String, JsonNode> partsNow = parts(now);
        if (partsBefore.isEmpty() || partsNow.isEmpty() || before.isArray() != now.isArray()) {
            differences.add(new SpecDifference(path, shown(before), shown(now)));
            return;
        }
        Set<String> names = new TreeSet<>(partsBefore.keySet());
        names.addAll(partsNow.keySet());
        JsonNode missing = MAPPER.missingNode();
        int known = differences.size();
        for (String name : names) {
            compare(
                    path.isEmpty() ? name : path + "." + name,
                    partsBefore.getOrDefault(name, missing),
                    partsNow.getOrDefault(name, missing),
                    differences);
        }
        if (differences.size() == known) {
            differences.add(new SpecDifference(path, order(partsBefore.keySet()), order(partsNow.keySet())));
        }
    }

    /** The parts of an object, and of a list whose elements all have names of their own; else none. */
    private static Map<String, JsonNode> parts(JsonNode node) {
        Map<String, JsonNode> parts = new LinkedHashMap<>();
        if (node.isObject()) {
            node.properties().forEach(part -> parts.put(part.getKey(), part.getValue()));
        } else if (node.isArray()) {
            for (JsonNode element : node) {
                String name = element.path("name").asText();
                if (name.isEmpty() || parts.put(name, element) != null) {
                    return Map.of();
                }
            }
        }
        return parts;
    }

    private static String order(Collection<String> names) {
        return "in the order " + String.join(", ", names);
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "nothing" : value.toString();
    }
}
