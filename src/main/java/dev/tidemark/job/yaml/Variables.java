package dev.tidemark.job.yaml;

import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Puts the environment's variables in place of {@code ${NAME}} and {@code ${NAME:-default}}. */
final class Variables {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?})?");

    private final Map<String, String> environment;

    Variables(Map<String, String> environment) {
        this.environment = environment;
    }

    /** The text with its variables replaced; null if that cannot be done, which the consumer is told (wrong, allowed). */
    @Nullable
    String replaced(String text, BiConsumer<String, String> problem) {
        Matcher matcher = VARIABLE.matcher(text);
        StringBuilder replaced = new StringBuilder();
        boolean isWhole = true;
        while (matcher.find()) {
            String name = matcher.group(1);
            if (name == null) {
                problem.accept("'" + text + "' has a malformed variable", "${NAME} or ${NAME:-default}");
                return null;
            }
            String value = environment.get(name);
            if ((value == null || value.isEmpty()) && matcher.group(2) != null) {
                value = matcher.group(2);
            }
            if (value == null) {
                problem.accept(
                        "environment variable " + name + " is not set", "set it, or write ${" + name + ":-default}");
                isWhole = false;
                continue;
            }
            matcher.appendReplacement(replaced, Matcher.quoteReplacement(value));
        }
        matcher.appendTail(replaced);
        return isWhole ? replaced.toString() : null;
    }
}
