package dev.tidemark.kit;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * All changes of the logs of a source and the job that reads them: a folder of files of lines, in memory, or the
 * partitions of a topic, each of them like a file.
 *
 * <p>The files of a log are read in the order of their paths by UTF-8 bytes; blank lines of files are no records.
 */
public final class History {

    /**
     * A file by its path under the source folder; or a partition by its name.
     *
     * @param timestamps of the lines, as a broker gives them; null: a file has none
     */
    public record LogFile(
            String path, List<byte[]> lines, @Nullable List<Instant> timestamps) {
        public LogFile {
            lines = List.copyOf(lines);
            timestamps = timestamps == null ? null : List.copyOf(timestamps);
        }

        public LogFile(String path, List<byte[]> lines) {
            this(path, lines, null);
        }

        /** Whether it is a partition of a topic: a log of its own. */
        boolean isPartition() {
            return timestamps != null;
        }

        @Nullable
        Instant timestamp(int line) {
            return timestamps == null ? null : timestamps.get(line);
        }
    }

    private final String name;
    private final JobPlan plan;
    private final List<LogFile> files;

    public History(String name, JobPlan plan, List<LogFile> files) {
        this.name = name;
        this.plan = plan;
        this.files = files.stream()
                .sorted((a, b) -> Arrays.compareUnsigned(utf8(a.path()), utf8(b.path())))
                .toList();
    }

    /** One file of the given lines. */
    public static History of(JobPlan plan, String... lines) {
        return new History(
                "by hand",
                plan,
                List.of(new LogFile(
                        "changes.json", Arrays.stream(lines).map(History::utf8).toList())));
    }

    /** Of files written by hand. */
    public static History of(JobPlan plan, LogFile... files) {
        return new History("by hand", plan, List.of(files));
    }

    /** The same records for another job. */
    public History withPlan(JobPlan otherPlan) {
        return new History(name, otherPlan, files);
    }

    public JobPlan plan() {
        return plan;
    }

    public List<LogFile> files() {
        return files;
    }

    /** The records of all logs, each log's in the order in which it is read. */
    public List<SourceRecord> records() {
        List<SourceRecord> records = new ArrayList<>();
        for (LogFile file : files) {
            long offset = 0;
            for (int line = 0; line < file.lines().size(); line++) {
                byte[] payload = file.lines().get(line);
                if (isRecord(file, payload)) {
                    records.add(new SourceRecord(log(file), file.path(), offset, payload, file.timestamp(line)));
                    offset++;
                }
            }
        }
        return records;
    }

    /** The logs by name, empty ones too, with their records in the order in which they are read. */
    public Map<String, List<SourceRecord>> logs() {
        Map<String, List<SourceRecord>> logs = new LinkedHashMap<>();
        files.forEach(file -> logs.putIfAbsent(log(file), new ArrayList<>()));
        records()
                .forEach(record -> logs.computeIfAbsent(record.log(), log -> new ArrayList<>())
                        .add(record));
        return logs;
    }

    /** The first file of a log, or its partition. */
    String firstSplit(String log) {
        return files.stream()
                .filter(file -> log(file).equals(log))
                .findFirst()
                .orElseThrow()
                .path();
    }

    /** The records in one order in which readers that draw from the logs at random may come upon them. */
    public List<SourceRecord> interleaved(Random random) {
        Map<String, List<SourceRecord>> logs = logs();
        if (logs.size() == 1) {
            return records();
        }
        List<SourceRecord> records = new ArrayList<>();
        List<Deque<SourceRecord>> left = new ArrayList<>();
        logs.values().forEach(log -> left.add(new ArrayDeque<>(log)));
        left.removeIf(Deque::isEmpty);
        while (!left.isEmpty()) {
            Deque<SourceRecord> log = left.get(random.nextInt(left.size()));
            for (int i = random.nextInt(12); i >= 0 && !log.isEmpty(); i--) {
                records.add(log.remove());
            }
            left.removeIf(Deque::isEmpty);
        }
        return records;
    }

    /** Whether changes of one id are in several logs. */
    public boolean isCrossing() {
        Oracle oracle = new Oracle(plan);
        records().forEach(oracle::accept);
        return oracle.isCrossing();
    }

    private String log(LogFile file) {
        if (file.isPartition()) {
            return file.path();
        }
        return plan.source().logs() == Logs.SOURCE
                ? ""
                : file.path().substring(0, file.path().indexOf('/'));
    }

    /** Writes the files into a folder and returns the plan of the job that reads this folder. */
    public JobPlan writeTo(Path folder) throws IOException {
        for (LogFile file : files) {
            Path path = folder.resolve(file.path());
            Files.createDirectories(path.resolveSibling("."));
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (byte[] line : file.lines()) {
                bytes.write(line);
                bytes.write('\n');
            }
            Files.write(path, bytes.toByteArray());
        }
        SourcePlan source = plan.source();
        return new JobPlan(
                plan.job(),
                new SourcePlan(
                        source.schema(),
                        source.format(),
                        folder.toAbsolutePath().toString(),
                        source.watchMillis(),
                        source.logs(),
                        source.idleTimeoutMillis()),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                plan.partition(),
                plan.target());
    }

    /** The same records, {@code length} to a file; partitions cannot be cut. */
    public History cut(int length) {
        List<LogFile> pieces = new ArrayList<>();
        logs().forEach((log, records) -> {
            List<byte[]> payloads = records.stream().map(SourceRecord::payload).toList();
            for (int from = 0; from < payloads.size(); from += length) {
                int to = Math.min(payloads.size(), from + length);
                String path = "cut-%06d.json".formatted(from / length);
                pieces.add(new LogFile(log.isEmpty() ? path : log + "/" + path, payloads.subList(from, to)));
            }
        });
        return files.stream().anyMatch(LogFile::isPartition)
                ? this
                : new History(name + ", " + length + " to a file", plan, pieces);
    }

    /** The history up to and without the record of this index. */
    public History prefix(int records) {
        return keeping(name + ", first " + records, index -> index < records);
    }

    /** The records of these indices alone, in the files where they were. */
    History keeping(String newName, IntPredicate kept) {
        List<LogFile> rest = new ArrayList<>();
        int index = 0;
        for (LogFile file : files) {
            List<byte[]> lines = new ArrayList<>();
            List<Instant> timestamps = new ArrayList<>();
            for (int line = 0; line < file.lines().size(); line++) {
                byte[] payload = file.lines().get(line);
                if (isRecord(file, payload) && kept.test(index++)) {
                    lines.add(payload);
                    if (file.timestamps() != null) {
                        timestamps.add(file.timestamps().get(line));
                    }
                }
            }
            if (!lines.isEmpty() || file.lines().isEmpty()) {
                rest.add(new LogFile(file.path(), lines, file.isPartition() ? timestamps : null));
            }
        }
        return new History(newName, plan, rest);
    }

    String name() {
        return name;
    }

    private static boolean isRecord(LogFile file, byte[] line) {
        return file.isPartition() || !new String(line, StandardCharsets.ISO_8859_1).isBlank();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The name (of a generated history: seed and profile), the plan and the lines: enough to see what went wrong. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("history ").append(name).append('\n');
        text.append("  logs ").append(logs().keySet()).append('\n');
        text.append("  ").append(plan.changes()).append('\n');
        text.append("  ").append(plan.time()).append('\n');
        text.append("  ").append(plan.partition()).append('\n');
        text.append("  ").append(plan.target()).append('\n');
        List<SourceRecord> records = records();
        records.stream()
                .limit(200)
                .forEach(record -> text.append("  ").append(record).append('\n'));
        if (records.size() > 200) {
            text.append("  ... ").append(records.size()).append(" records\n");
        }
        return text.toString();
    }
}
