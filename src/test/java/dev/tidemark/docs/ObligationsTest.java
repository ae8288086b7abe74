package dev.tidemark.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The page of duties names each duty once, and only tests and pages that are there. */
final class ObligationsTest {
    private static final Path DOCS = Path.of("docs");
    private static final Path TESTS = Path.of("src/test/java");
    private static final Pattern ROW = Pattern.compile("\\| ([AEK][0-9]+) \\| (.+?) \\| (.+) \\|");
    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)\\.(\\w+)`");
    private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*Test)`");
    private static final Pattern LINK = Pattern.compile("\\[[^]]+]\\(([^)#]*)(?:#([^)]*))?\\)");
    private static final Pattern NOT_YET = Pattern.compile("[Nn]ot yet: \\*([a-z ]+)\\*");
    private static final Set<String> TO_COME = Set.of("verify", "global columns");

    private record Duty(String id, String text, String met) {}

    @Test
    void everyDutyIsThereOnce() throws IOException {
        List<String> wanted;
        try (var in = Objects.requireNonNull(ObligationsTest.class.getResourceAsStream("/obligations.txt"))) {
            wanted = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
        assertThat(wanted).hasSizeGreaterThan(200).doesNotHaveDuplicates();
        assertThat(duties()).extracting(Duty::id).containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void everyDutySaysWhereItIsMetOrWhatWillMeetIt() throws IOException {
        assertThat(duties()).allSatisfy(duty -> {
            Matcher toCome = NOT_YET.matcher(duty.met());
            boolean promised = toCome.find();
            assertThat(promised
                            || TEST.matcher(duty.met()).find()
                            || TEST_CLASS.matcher(duty.met()).find()
                            || LINK.matcher(duty.met()).find())
                    .as(duty.toString())
                    .isTrue();
            if (promised) {
                assertThat(toCome.group(1)).as(duty.toString()).isIn(TO_COME);
            }
        });
    }

    @Test
    void everyTestThatIsNamedIsThere() throws Exception {
        Map<String, List<Class<?>>> classes = testClasses();
        List<String> missing = new ArrayList<>();
        for (Duty duty : duties()) {
            Matcher named = TEST.matcher(duty.met());
            while (named.find()) {
                if (!isTest(classes.getOrDefault(named.group(1), List.of()), named.group(2))) {
                    missing.add(duty.id() + ": " + named.group(1) + "." + named.group(2));
                }
            }
            Matcher whole = TEST_CLASS.matcher(duty.met());
            while (whole.find()) {
                if (classes.getOrDefault(whole.group(1), List.of()).size() != 1) {
                    missing.add(duty.id() + ": " + whole.group(1));
                }
            }
        }
        assertThat(missing).as("not one test of that name").isEmpty();
    }

    @Test
    void everyPageAndHeadingThatIsLinkedIsThere() throws IOException {
        List<String> missing = new ArrayList<>();
        Matcher link = LINK.matcher(page());
        while (link.find()) {
            Path file = link.group(1).isEmpty()
                    ? DOCS.resolve("obligations.md")
                    : DOCS.resolve(link.group(1)).normalize();
            if (!Files.exists(file) || (link.group(2) != null && !headings(file).contains(link.group(2)))) {
                missing.add(link.group());
            }
        }
        assertThat(missing).isEmpty();
    }

    private static String page() throws IOException {
        return Files.readString(DOCS.resolve("obligations.md"));
    }

    private static List<Duty> duties() throws IOException {
        return page().lines()
                .map(ROW::matcher)
                .filter(Matcher::matches)
                .map(row -> new Duty(row.group(1), row.group(2), row.group(3)))
                .toList();
    }

    /** Headings as GitHub links them. */
    private static Set<String> headings(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("#+ ", "")
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^a-z0-9 _-]", "")
                            .replace(' ', '-'))
                    .collect(Collectors.toSet());
        }
    }

    private static Map<String, List<Class<?>>> testClasses() throws IOException, ClassNotFoundException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(TESTS)) {
            files = walk.filter(file -> file.toString().endsWith("Test.java")).toList();
        }
        Map<String, List<Class<?>>> classes = new HashMap<>();
        for (Path file : files) {
            String name = TESTS.relativize(file).toString().replace(".java", "").replace('/', '.');
            Class<?> type = Class.forName(name, false, ObligationsTest.class.getClassLoader());
            classes.computeIfAbsent(type.getSimpleName(), unknown -> new ArrayList<>())
                    .add(type);
        }
        return classes;
    }

    private static boolean isTest(List<Class<?>> classes, String member) {
        return classes.size() == 1
                && Stream.<AnnotatedElement>concat(
                                Arrays.stream(classes.get(0).getDeclaredMethods())
                                        .filter(method -> method.getName().equals(member)),
                                Arrays.stream(classes.get(0).getDeclaredFields())
                                        .filter(field -> field.getName().equals(member)))
                        .anyMatch(element -> AnnotationSupport.isAnnotated(element, Testable.class));
    }
}
