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
import java.util.Objects;
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

    /** A record with its place in the log. */
    private record Placed(String file, long ordinal, JsonNode json) {
        String text(String field) {
            return json.path(field).isTextual() ? json.path(field).asText() : "";
        }

        long micros(String field) {
            return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text(field)));
        }

        String place() {
            return file + " " + ordinal;
        }
    }

    private List<Placed> records() throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        List<Placed> records = new ArrayList<>();
        for (Path file : files(source())) {
            long ordinal = 0;
            for (String line : Files.readAllLines(file)) {
                records.add(new Placed(String.valueOf(file.getFileName()), ordinal++, mapper.readTree(line)));
            }
        }
        return records;
    }

    /** What becomes of records by the rules of membership and admission, in one log. */
    private final class Course {
        private final boolean isUpsert = job.plan().changes().mode() == JobPlan.Mode.UPSERT;
        private final long lookback;
        private final Map<String, IdentityOracle.Event> standing = new TreeMap<>();
        private final Set<String> known = new HashSet<>();
        private final List<IdentityOracle.Event> gone = new ArrayList<>();
        private final List<IdentityOracle.Event> left = new ArrayList<>();
        private final List<String> missed = new ArrayList<>();
        private long frontier = Long.MIN_VALUE;

        private Course(long lookback) {
            this.lookback = lookback;
        }

        private void take(Placed record) {
            frontier = Math.max(frontier, record.micros("ingested_at"));
            long openFrom = day(frontier) - lookback;
            String id = record.text("event_id");
            if (!known.add(id) && !isUpsert) {
                return;
            }
            boolean isDelete = record.text("op").equals("d");
            long time = record.micros("event_time");
            IdentityOracle.Event after = new IdentityOracle.Event(
                    record.text("device_id"),
                    record.text("user_id"),
                    record.text("platform"),
                    time,
                    day(time),
                    openFrom);
            IdentityOracle.Event before = standing.get(id);
            boolean isIn = !isDelete && after.day() >= openFrom;
            boolean goes = before != null && before.day() >= openFrom;
            Set<String> devices = new HashSet<>();
            if (before != null && goes) {
                devices.add(before.device());
            }
            if (isIn) {
                devices.add(after.device());
            }
            Map<String, List<String>> seen = new TreeMap<>();
            devices.forEach(device -> seen.put(device, seenFromTheDayBefore(device, openFrom)));
            if (before != null && goes) {
                standing.remove(id);
                if (before.day() == openFrom && before.openFrom() < openFrom) {
                    gone.add(new IdentityOracle.Event(
                            before.device(),
                            before.user(),
                            before.platform(),
                            before.time(),
                            before.day(),
                            before.openFrom(),
                            true));
                }
            } else if (before != null && isIn) {
                // It lives on elsewhere; its closed day keeps it.
                left.add(before);
                standing.remove(id);
            }
            if (isIn) {
                standing.put(id, after);
            }
            devices.forEach(device -> {
                if (!seenFromTheDayBefore(device, openFrom).equals(seen.get(device))
                        && !missed.contains(record.place())) {
                    missed.add(record.place());
                }
            });
        }

        private List<String> seenFromTheDayBefore(String device, long openFrom) {
            List<IdentityOracle.Event> all = events().stream()
                    .filter(event -> event.device().equals(device) && !event.isGone())
                    .map(IdentityOracle.Event::asSeenByAll)
                    .toList();
            return new IdentityOracle(all, GAP).sessionUsers(device, openFrom - 1);
        }

        private List<IdentityOracle.Event> events() {
            List<IdentityOracle.Event> events = new ArrayList<>(standing.values());
            events.addAll(left);
            events.addAll(gone);
            return events;
        }

        private Map<String, IdentityOracle.Row> rows() {
            Map<String, IdentityOracle.Row> rows = new TreeMap<>();
            new IdentityOracle(events(), GAP)
                    .rows()
                    .forEach((day, row) -> rows.put(LocalDate.ofEpochDay(day).toString(), row));
            return rows;
        }
    }

    private static long day(long micros) {
        return Math.floorDiv(micros, 86_400_000_000L);
    }

    /** The rows of the changes that were admitted, of all that was delivered. */
    Map<String, IdentityOracle.Row> expected() throws IOException {
        return course(job.plan().partition().lookback()).rows();
    }

    /** The rows of a computation over everything, as if no day were ever closed. */
    Map<String, IdentityOracle.Row> recomputed() throws IOException {
        return course(100_000).rows();
    }

    /** The places of the changes that a closed day misses although their own day was open. */
    List<String> missed() throws IOException {
        return course(job.plan().partition().lookback()).missed;
    }

    private Course course(long lookback) throws IOException {
        Course course = new Course(lookback);
        records().forEach(course::take);
        return course;
    }

    /** By publication the rows of a computation over exactly the changes before its positions. */
    Map<Long, Map<String, IdentityOracle.Row>> expectedByPublication() throws Exception {
        List<Placed> records = records();
        ObjectMapper mapper = new ObjectMapper();
        Map<Long, Map<String, IdentityOracle.Row>> expected = new TreeMap<>();
        Course course = new Course(job.plan().partition().lookback());
        int taken = 0;
        for (String row : job.publications("publication, positions")) {
            int space = row.indexOf(' ');
            Map.Entry<String, JsonNode> position = mapper.readTree(row.substring(space + 1))
                    .properties()
                    .iterator()
                    .next();
            while (taken < records.size() && isBefore(records.get(taken), position)) {
                course.take(records.get(taken++));
            }
            expected.put(Long.parseLong(row.substring(0, space)), course.rows());
        }
        return expected;
    }

    private static boolean isBefore(Placed record, Map.Entry<String, JsonNode> position) {
        int file = record.file().compareTo(position.getKey());
        return file < 0 || (file == 0 && record.ordinal() < position.getValue().asLong());
    }

    /** For each row what should stand as of the publication that wrote it. */
    static Map<String, IdentityOracle.Row> asOf(
            Map<String, Standing> standing, Map<Long, Map<String, IdentityOracle.Row>> byPublication) {
        Map<String, IdentityOracle.Row> rows = new TreeMap<>();
        standing.forEach(
                (day, row) -> rows.put(
                day,
                Objects.requireNonNull(Objects.requireNonNull(byPublication.get(row.publication()))
                        .get(day))));
        return rows;
    }

    static Map<String, IdentityOracle.Row> rows(Map<String, Standing> standing) {
        Map<String, IdentityOracle.Row> rows = new TreeMap<>();
        standing.forEach((day, row) -> rows.put(day, row.row()));
        return rows;
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
            String[] values = row.split(" ", -1);
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
