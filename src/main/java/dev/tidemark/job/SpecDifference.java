package dev.tidemark.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What two specs of one job, as {@link JobSpec#json} writes them, say otherwise. */
public final class SpecDifference {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private SpecDifference() {}

    /** Each value that differs, by its path: {@code partition.zone: "Europe/Berlin" is now "UTC"}. */
    public static List<String> between(String before, String now) {
        List<String> differences = new ArrayList<>();
        try {
            compare("", MAPPER.readTree(before), MAPPER.readTree(now), differences);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("a spec is JSON", notJson);
        }
        return differences;
    }

    private static void compare(String path, JsonNode before, JsonNode now, List<String> differences) {
        if (before.equals(now)) {
            return;
        }
        if (!before.isObject() || !now.isObject()) {
            differences.add(path + ": " + shown(before) + " is now " + shown(now));
            return;
        }
        Set<String> names = new TreeSet<>();
        before.fieldNames().forEachRemaining(names::add);
        now.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            compare(path.isEmpty() ? name : path + "." + name, before.path(name), now.path(name), differences);
        }
    }

    private static String shown(JsonNode value) {
        return value.isMissingNode() ? "nothing" : value.toString();
    }
}
