package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobFile;
import dev.tidemark.job.JobFileException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ChangePlan;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.Mode;
import dev.tidemark.job.JobPlan.Observed;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.TargetPlan;
import dev.tidemark.job.JobPlan.TimePlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A job file becomes its plan, or all that is wrong with it. */
class JobFilesTest {
    private static final Field ORDER_ID = new Field("order_id", FieldType.of(Kind.STRING));
    private static final Field LINE_NUMBER = new Field("line_number", FieldType.of(Kind.INT));
    private static final Field ORDERED_AT = new Field("ordered_at", FieldType.of(Kind.TIMESTAMP));
    private static final Field UPDATED_AT = new Field("updated_at", FieldType.of(Kind.TIMESTAMP));
    private static final Field INGESTED_AT = new Field("ingested_at", FieldType.of(Kind.TIMESTAMP));
    private static final Field PRODUCT_ID = new Field("product_id", FieldType.of(Kind.LONG));

    @TempDir
    private Path folder;

    private JobText least;

    @BeforeEach
    void leastJob() {
        least = JobText.least(folder);
    }

    @Test
    void reportsEveryMistakeAtOnceWithItsLineAndKeyPath() throws IOException {
        String expected = Files.readString(JobText.RESOURCES.resolve("mistakes.txt"));

        assertThatExceptionOfType(JobFileException.class)
                .isThrownBy(() -> JobFiles.read(JobText.RESOURCES.resolve("mistakes.yaml"), Map.of()))
                .satisfies(refused -> assertThat(refused.getMessage() + "\n").isEqualTo(expected));
    }

    @Test
    void fillsInEveryDefault() {
        JobPlan plan = least.plan();

        assertThat(plan.source().path()).isEqualTo(folder.resolve("orders").toString());
        assertThat(plan.source().format()).isEqualTo(Format.AVRO);
        assertThat(plan.source().isBounded()).isTrue();
        assertThat(plan.source().logs()).isEqualTo(Logs.SOURCE);
        assertThat(plan.source().idleTimeoutMillis()).isEqualTo(60_000);
        assertThat(plan.changes())
                .isEqualTo(new ChangePlan(Mode.UPSERT, List.of(ORDER_ID, LINE_NUMBER), List.of(), null));
        assertThat(plan.time())
                .isEqualTo(new TimePlan(
                        ORDERED_AT, Observed.FIELD, INGESTED_AT, FrontierKind.OBSERVED, 0, 300_000_000, 3));
        assertThat(plan.partition())
                .isEqualTo(new PartitionPlan(Grain.DAY, ZoneId.of("America/New_York"), 3, null, 6, "day", null));
        assertThat(plan.target())
                .isEqualTo(new TargetPlan(
                        "public",
                        "product_days",
                        List.of(PRODUCT_ID),
                        List.of(new ValueColumn("lines", Aggregate.COUNT, null, List.of(), FieldType.of(Kind.LONG))),
                        false));
    }

    @Test
    void takesWhatIsSaidInsteadOfTheDefaults() {
        JobPlan plan = JobFiles.read(JobText.RESOURCES.resolve("every-key.yaml"), Map.of("ORDERS", "/data"));

        assertThat(plan.job()).isEqualTo("product-hours");
        assertThat(plan.source().format()).isEqualTo(Format.JSON);
        assertThat(plan.source().path()).isEqualTo("/data/in");
        assertThat(plan.source().watchMillis()).isEqualTo(250);
        assertThat(plan.source().logs()).isEqualTo(Logs.SOURCE);
        assertThat(plan.source().idleTimeoutMillis()).isEqualTo(90_000);
        Field op = new Field("op", FieldType.of(Kind.STRING));
        assertThat(plan.changes())
                .isEqualTo(new ChangePlan(
                        Mode.UPSERT, List.of(ORDER_ID, LINE_NUMBER), List.of(UPDATED_AT), new Deletion(op, "d")));
        assertThat(plan.time())
                .isEqualTo(new TimePlan(
                        ORDERED_AT, Observed.NONE, null, FrontierKind.EVENT, 43_200_000_000L, 2_000_000, 7));
        assertThat(plan.partition())
                .isEqualTo(new PartitionPlan(
                        Grain.HOUR,
                        ZoneId.of("UTC"),
                        48,
                        "maximum 1 d 4 h over 90 days: \"good\"",
                        50,
                        "clock_hour",
                        LocalDate.of(2026, 1, 31)));
        assertThat(plan.target().schema()).isEqualTo("sales");
        assertThat(plan.target().table()).isEqualTo("product_hours");
        assertThat(plan.target().revisions()).isTrue();
        assertThat(plan.target().retroactive()).isTrue();
        assertThat(plan.target().key()).extracting(Field::name).containsExactly("product_id", "day");
    }

    @Test
    void typesEveryResultAsTheContractSays() {
        JobPlan plan = JobFiles.read(JobText.RESOURCES.resolve("every-key.yaml"), Map.of());

        assertThat(plan.target().columns())
                .extracting(column -> column.name() + " " + column.type().sql())
                .containsExactly(
                        "lines bigint",
                        "paid numeric(38,2)",
                        "known bigint",
                        "quantity bigint",
                        "units numeric(38,0)",
                        "net numeric(38,6)",
                        "weight double precision",
                        "mean_quantity numeric(38,6)",
                        "mean_price numeric(38,8)",
                        "mean_score double precision",
                        "smallest numeric(30,4)",
                        "largest uuid",
                        "orders bigint",
                        "first_price numeric(12,2)",
                        "last_score real",
                        "lines_so_far bigint",
                        "net_so_far numeric(38,6)",
                        "orders_so_far bigint");
    }

    @Test
    void aKeyThatNoTestMentionsFails() {
        JobFile written = JobFiles.resolve(JobText.RESOURCES.resolve("every-key.yaml"), Map.of())
                .written();
        Set<String> silent = new TreeSet<>(keys(JobFile.class));
        said(written, silent);
        for (String topic : List.of(
                "kafka-registry.yaml",
                "kafka-folder.yaml",
                "kafka-raw.yaml",
                "history-files.yaml",
                "history-topic.yaml",
                "history-raw.yaml",
                "history-folder.yaml",
                "history-query.yaml",
                "history-rows.yaml",
                "identity.yaml")) {
            said(JobFiles.resolve(JobText.RESOURCES.resolve(topic), Map.of()).written(), silent);
        }

        assertThat(silent).as("keys that no example says").isEmpty();
    }

    @Test
    void anExampleJobIsWithoutProblems() {
        JobPlan first = JobFiles.read(Path.of("jobs/earthquakes.yaml"), Map.of());
        JobPlan revised = JobFiles.read(Path.of("jobs/earthquakes-revised.yaml"), Map.of());

        assertThat(first.source().path()).isEqualTo(revised.source().path() + "/1-catalogue.jsonl");
        assertThat(revised.target()).isEqualTo(first.target());
        assertThat(first.target().columns())
                .extracting(column -> column.type().sql())
                .containsExactly("bigint", "double precision", "double precision", "text");
    }

    @Test
    void aPlanTravelsAsJavaSerializesIt() throws IOException, ClassNotFoundException {
        JobPlan plan = JobFiles.read(JobText.RESOURCES.resolve("every-key.yaml"), Map.of());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(plan);
        }

        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            assertThat(in.readObject()).isEqualTo(plan);
        }
    }

    // ---- the file

    @Test
    void aFileThatDoesNotExistIsAProblem() {
        Path missing = folder.resolve("none.yaml");

        assertThatExceptionOfType(JobFileException.class)
                .isThrownBy(() -> JobFiles.read(missing, Map.of()))
                .withMessage(missing + ": does not exist");
    }

    @Test
    void anEmptyFileIsAProblem() {
        assertThat(new JobText(folder, "# nothing\n").problems()).containsExactly("is empty; expected a job");
    }

    @Test
    void aFileThatIsNoMappingIsAProblem() {
        assertThat(new JobText(folder, "- job\n").problems())
                .containsExactly(
                        "is a list; expected a mapping with the keys formatVersion, job, source, fields, where, changes, time,"
                                + " partition, identity, target, history");
    }

    @Test
    void aSyntaxErrorSaysItsLine() {
        assertThat(least.with("files: { path: orders }", "files: { path: orders")
                        .problems())
                .singleElement()
                .asString()
                .startsWith("7: is not YAML: ");
    }

    @Test
    void aSecondDocumentIsAProblem() {
        assertThat(least.after("    lines:", "---\njob: another").problems())
                .containsExactly("24: another document begins; expected one document a file");
    }

    @Test
    void aKeyGivenTwiceIsAProblem() {
        assertThat(least.after("job:", "job: another").problems())
                .containsExactly("3: job: is given twice; the first is in line 2");
    }

    @Test
    void bytesThatAreNotUtf8AreAProblem() throws IOException {
        Path file = folder.resolve("latin.yaml");
        Files.write(file, new byte[] {'j', (byte) 0xe9, '\n'});

        assertThatExceptionOfType(JobFileException.class)
                .isThrownBy(() -> JobFiles.read(file, Map.of()))
                .withMessage(file + ": is not UTF-8 text");
    }

    @Test
    void aKeyWithoutValueIsAProblem() {
        assertThat(least.with("grain: day", "grain:").problems())
                .containsExactly("15: partition.grain: has no value; expected hour, day, week or month");
    }

    @Test
    void anUnknownKeyIsNotTakenForAMissingOne() {
        assertThat(least.with("table:", "tabel:").problems())
                .containsExactly(
                        "18: target.table: is missing; expected a table or schema.table",
                        "19: target.tabel: unknown key 'tabel'; did you mean 'table'? keys: table, key, revisions, retroactive,"
                                + " columns");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            job: product-days   | job: 12              | 2: job: is a number; expected text; quote it if it is meant as text
            grain: day          | grain: DAY           | 15: partition.grain: 'DAY' is not allowed; expected hour, day, week or month
            grain: day          | grain: [day]         | 15: partition.grain: is a list; expected hour, day, week or month
            lookback: 3         | lookback: three      | 17: partition.lookback: 'three' is not allowed; expected a whole number
            lookback: 3         | lookback: '3'        | 17: partition.lookback: '3' is not allowed; expected a whole number
            lookback: 3         | lookback: 2.5        | 17: partition.lookback: 2.5 is not allowed; expected a whole number
            lookback: 3         | lookback: -1         | 17: partition.lookback: is -1; expected 0 to 1000000
            lookback: 3         | lookback: {because: x} | 17: partition.lookback.partitions: is missing; expected a whole number
            lookback: 3         | lookback: {partitions: -1} | 17: partition.lookback.partitions: is -1; expected 0 to 1000000
            event: ordered_at   | event: {a: b}        | 11: time.event: is a mapping; expected a timestamp field
            key: product_id     | key: [[a]]           | 20: target.key[0]: is a list; expected a name
            lines: { count: {} }| lines: count         | 22: target.columns.lines: is text; expected a mapping with the keys count, sum, avg, min, max, countDistinct, first, latest, runningCount, runningSum, runningCountDistinct, identities, identifiedEvents, order, where
            lines: { count: {} }| lines: { count: {a: b} } | 22: target.columns.lines.count: is a mapping; expected {} for every member, or a field
            """)
    void aWrongTypeSaysWhatIsAllowed(String from, String to, String problem) {
        assertThat(least.with(from, to).problems()).containsExactly(problem);
    }

    @ParameterizedTest
    @CsvSource({"250ms,250", "2s,2000", "5m,300000", "12h,43200000", "3d,259200000", "PT1M0.5S,60500", "P1DT1S,86401000"
    })
    void readsDurations(String written, long millis) {
        assertThat(least.after("  format:", "  idleTimeout: " + written)
                        .plan()
                        .source()
                        .idleTimeoutMillis())
                .isEqualTo(millis);
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "5 minutes", "-5m", "m", "1.5h", "P", "PT", "99999999999999999999s"})
    void refusesWhatIsNoDuration(String written) {
        assertThat(least.after("  format:", "  idleTimeout: " + written).problems())
                .singleElement()
                .asString()
                .startsWith("6: source.idleTimeout: ")
                .endsWith(" is not allowed; expected a duration such as 250ms, 2s, 5m, 12h, 3d or PT1H30M");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0s", "36501d", "PT-5M"})
    void refusesDurationsOutOfRange(String written) {
        assertThat(least.after("  format:", "  idleTimeout: " + written).problems())
                .containsExactly("6: source.idleTimeout: is out of range; expected 1ms to 36500d");
    }

    @Test
    void noEditOfAFileBreaksTheReader() throws IOException {
        String text = Files.readString(JobText.RESOURCES.resolve("every-key.yaml"));
        long seed = 20_260_131;
        Random random = new Random(seed);
        String[] insertions = {
            "\n", " ", ":", "- ", "{", "}", "[", "]", "\"", "'", "#", "&a ", "*a", "!!int ", "${", "0", "~", "<<: "
        };
        int refused = 0;
        for (int i = 0; i < 800; i++) {
            StringBuilder edited = new StringBuilder(text);
            for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
                int at = random.nextInt(edited.length());
                switch (random.nextInt(3)) {
                    case 0 -> edited.delete(at, Math.min(at + 1 + random.nextInt(30), edited.length()));
                    case 1 -> edited.insert(at, insertions[random.nextInt(insertions.length)]);
                    default -> edited.insert(at, text, at / 2, at / 2 + random.nextInt(40) % (text.length() - at / 2));
                }
            }
            try {
                new JobText(folder, edited.toString()).plan();
            } catch (JobFileException e) {
                refused++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", edit " + i + ":\n" + edited, e);
            }
        }
        assertThat(refused).isBetween(200, 799);
    }

    // ---- environment

    @Test
    void takesVariablesOfTheEnvironment() {
        JobText text = least.with("path: orders", "path: \"${ROOT}/${SUB:-new}/x\"")
                .with("lookback: 3", "lookback: ${LOOKBACK:-5}");

        assertThat(text.resolved(Map.of("ROOT", "/data")).plan().source().path())
                .isEqualTo("/data/new/x");
        assertThat(text.resolved(Map.of("ROOT", "/data", "SUB", ""))
                        .plan()
                        .source()
                        .path())
                .isEqualTo("/data/new/x");
        assertThat(text.resolved(Map.of("ROOT", "/data")).plan().partition().lookback())
                .isEqualTo(5);
        assertThat(text.resolved(Map.of("ROOT", "a", "LOOKBACK", "0"))
                        .plan()
                        .partition()
                        .lookback())
                .isZero();
    }

    @Test
    void aVariableWithoutValueIsAProblem() {
        assertThat(least.with("path: orders", "path: \"${ROOT}/${SUB}\"").problems())
                .containsExactly(
                        "6: source.files.path: environment variable ROOT is not set; set it, or write ${ROOT:-default}",
                        "6: source.files.path: environment variable SUB is not set; set it, or write ${SUB:-default}");
    }

    @Test
    void aMalformedVariableIsAProblem() {
        assertThat(least.with("path: orders", "path: \"${1}\"").problems())
                .containsExactly("6: source.files.path: '${1}' has a malformed variable; ${NAME} or ${NAME:-default}");
    }

    @Test
    void aVariableThatYamlTakesForAMappingIsExplained() {
        assertThat(least.with("path: orders", "path: ${ROOT}").problems())
                .containsExactly("6: is not YAML: expected ',' or '}', but got {; inside of { } and [ ] a variable"
                        + " needs quotes: \"${NAME}\"");
    }

    @Test
    void keysTakeNoVariables() {
        assertThat(least.after("job:", "${KEY}: x").problems(Map.of("KEY", "job")))
                .containsExactly(
                        "3: ${KEY}: unknown key '${KEY}'; keys: formatVersion, job, source, fields, where, changes, time,"
                                + " partition, identity, target, history");
    }

    private static Set<String> keys(Class<?> type) {
        Set<String> keys = new TreeSet<>();
        for (RecordComponent component : type.getRecordComponents()) {
            keys.add(type.getSimpleName() + "." + component.getName());
            Class<?> below = component.getType();
            if (component.getGenericType() instanceof ParameterizedType generic && below == Map.class) {
                below = (Class<?>) generic.getActualTypeArguments()[1];
            }
            if (below.isRecord()) {
                keys.addAll(keys(below));
            }
        }
        return keys;
    }

    private static void said(Object value, Collection<String> silent) {
        if (value instanceof Map<?, ?> map) {
            map.values().forEach(below -> said(below, silent));
        } else if (value instanceof Record) {
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                Object below = valueOf(component, value);
                if (below != null) {
                    silent.remove(value.getClass().getSimpleName() + "." + component.getName());
                    said(below, silent);
                }
            }
        }
    }

    private static @Nullable Object valueOf(RecordComponent component, Object value) {
        try {
            return component.getAccessor().invoke(value);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
