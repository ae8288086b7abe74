package dev.tidemark.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.generate.DayFiles;
import dev.tidemark.generate.EncodedRecords;
import dev.tidemark.generate.JsonEncoding;
import dev.tidemark.generate.JsonLinesForm;
import dev.tidemark.generate.RecordWriter;
import dev.tidemark.generate.WebAnalytics;
import dev.tidemark.generate.avro.ExampleSchemas;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.IdentityOracle;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The job {@code daily-active-users} over generated events, which come day by day, and what should come of them. */
final class IdentityJob {
    static final List<String> LOCAL = List.of(
            "total_events", "dau_raw", "dau_forward_only", "identified_events_raw", "identified_events_forward_only");
    static final List<String> GLOBAL = List.of(
            "dau_backward_fill",
            "dau_connected_components",
            "identified_events_backward_fill",
            "identified_events_connected_components");
    private static final long GAP = 30 * 60 * 1_000_000L;

    private final Path folder;
    private final WholeJob job;
    private final WholeJob watching;

    private IdentityJob(Path folder, WholeJob job, WholeJob watching) {
        this.folder = folder;
        this.job = job;
        this.watching = watching;
    }

    /** Events, in a file for each day on which some arrive. */
    static Path generate(WebAnalytics story, Path folder) throws IOException {
        try (RecordWriter writer = new EncodedRecords(
                new JsonEncoding(ExampleSchemas.fields(ExampleSchemas.named("web-event"))),
                new DayFiles(folder, new JsonLinesForm()))) {
            story.write(writer, (day, records) -> {});
        }
        return folder;
    }

    /** The files of a folder, in the order of arrival. */
    static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(file -> String.valueOf(file.getFileName()).endsWith(".jsonl"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * A job of another name and target.
     *
     * @param changes of the job file: by turns what is written, and what is to be written instead
     */
    static IdentityJob create(String name, PostgresServer postgres, Path folder, String... changes) throws IOException {
        Files.createDirectories(folder.resolve("source"));
        String text = Files.readString(Path.of("jobs/daily-active-users.yaml"))
                .replace("job: daily-active-users", "job: " + name)
                .replace("gold.daily_active_users", "gold." + name.replace('-', '_'))
                .replace("revisions: false", "")
                .replace("format: avro", "format: json")
                .replace("../schemas", Path.of("schemas").toAbsolutePath().toString())
                .replace("  key: []", "  key: []\n  revisions: true");
        for (int i = 0; i < changes.length; i += 2) {
            if (!text.contains(changes[i])) {
                throw new IllegalArgumentException("the job file has no " + changes[i]);
            }
            text = text.replace(changes[i], changes[i + 1]);
        }
        Files.writeString(folder.resolve("job.yaml"), text);
        Files.writeString(
                folder.resolve("watching.yaml"),
                text.replace("-../.local/web-analytics}\" }", "-../.local/web-analytics}\", watch: 10ms }"));
        return new IdentityJob(
                folder,
                WholeJob.of(plan(folder.resolve("job.yaml"), folder), postgres, folder),
                WholeJob.of(plan(folder.resolve("watching.yaml"), folder), postgres, folder));
    }

    private static JobPlan plan(Path file, Path folder) {
        return JobFiles.read(file, Map.of("WEB_EVENTS", folder.resolve("source").toString()));
    }

    /** The job that ends with its files. */
    WholeJob bounded() {
        return job;
    }

    /** The same job, waiting for more files. */
    WholeJob watching() {
        return watching;
    }

    Path source() {
        return folder.resolve("source");
    }

    void deliver(List<Path> files) throws IOException {
        for (Path file : files) {
            Path place = source().resolve(String.valueOf(file.getFileName()));
            Path unfinished = source().resolve(file.getFileName() + ".tmp");
            Files.copy(file, unfinished);
            Files.move(unfinished, place);
        }
    }

    /** How many records have been delivered. */
    long delivered() throws IOException {
        long records = 0;
        for (Path file : files(source())) {
            try (Stream<String> lines = Files.lines(file)) {
                records += lines.count();
            }
        }
        return records;
    }

    // ------------------------------------------------------------------------------------------------ what should be

    /** An event with its place in the log: the file's number and the ordinal. */
    private record Placed(String file, long ordinal, IdentityOracle.Event event) {}

    /** The events that count, by the rule of admission: each once, on days that are open when it is read. */
    private List<Placed> admitted() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        int lookback = job.plan().partition().lookback();
        List<Placed> admitted = new ArrayList<>();
        Set<String> known = new HashSet<>();
        long frontier = Long.MIN_VALUE;
        for (Path file : files(source())) {
            long ordinal = 0;
            for (String line : Files.readAllLines(file)) {
                JsonNode event = mapper.readTree(line);
                long seen = micros(event, "ingested_at");
                long happened = micros(event, "event_time");
                frontier = Math.max(frontier, seen);
                long openFrom = day(frontier) - lookback;
                if (known.add(event.path("event_id").asText()) && day(happened) >= openFrom) {
                    admitted.add(new Placed(
                            String.valueOf(file.getFileName()),
                            ordinal,
                            new IdentityOracle.Event(
                                    event.path("device_id").asText(),
                                    event.path("user_id").isNull()
                                            ? ""
                                            : event.path("user_id").asText(),
                                    event.path("platform").asText(),
                                    happened,
                                    day(happened),
                                    openFrom)));
                }
                ordinal++;
            }
        }
        return admitted;
    }

    private static long micros(JsonNode event, String field) {
        return ChronoUnit.MICROS.between(
                Instant.EPOCH, Instant.parse(event.path(field).asText()));
    }

    private static long day(long micros) {
        return Math.floorDiv(micros, 86_400_000_000L);
    }

    /** The rows of a computation over all that was delivered. */
    Map<String, IdentityOracle.Row> expected() throws IOException {
        return rows(admitted());
    }

    private static Map<String, IdentityOracle.Row> rows(List<Placed> placed) {
        Map<String, IdentityOracle.Row> rows = new TreeMap<>();
        new IdentityOracle(placed.stream().map(Placed::event).toList(), GAP)
                .rows()
                .forEach((day, row) -> rows.put(LocalDate.ofEpochDay(day).toString(), row));
        return rows;
    }

    /** By publication the rows of a computation over exactly the changes before its positions. */
    Map<Long, Map<String, IdentityOracle.Row>> expectedByPublication() throws Exception {
        List<Placed> admitted = admitted();
        ObjectMapper mapper = new ObjectMapper();
        Map<Long, Map<String, IdentityOracle.Row>> expected = new TreeMap<>();
        for (String row : job.publications("publication, positions")) {
            int space = row.indexOf(' ');
            Map.Entry<String, JsonNode> position = mapper.readTree(row.substring(space + 1))
                    .properties()
                    .iterator()
                    .next();
            List<Placed> before = admitted.stream()
                    .filter(placed -> placed.file().compareTo(position.getKey()) < 0
                            || (placed.file().equals(position.getKey())
                                    && placed.ordinal() < position.getValue().asLong()))
                    .toList();
            expected.put(Long.parseLong(row.substring(0, space)), rows(before));
        }
        return expected;
    }

    // ------------------------------------------------------------------------------------------------ what stands

    /**
     * A row of the target.
     *
     * @param publication that wrote it
     */
    record Standing(long publication, IdentityOracle.Row row) {}

    Map<String, Standing> standing() throws SQLException {
        Map<String, Standing> standing = new TreeMap<>();
        for (String row : job.rows("select day, _publication, " + String.join(", ", LOCAL) + ", "
                + String.join(", ", GLOBAL) + " from " + job.target())) {
            String[] values = row.split(" ");
            long[] numbers = new long[9];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = Long.parseLong(values[i + 2]);
            }
            standing.put(
                    values[0],
                    new Standing(
                            Long.parseLong(values[1]),
                            new IdentityOracle.Row(
                                    numbers[0],
                                    numbers[1],
                                    numbers[2],
                                    numbers[3],
                                    numbers[4],
                                    numbers[5],
                                    numbers[6],
                                    numbers[7],
                                    numbers[8])));
        }
        return standing;
    }
}
