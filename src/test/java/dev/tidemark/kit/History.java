package dev.tidemark.kit;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * All changes of one log and the job that reads them: a folder of files of lines, in memory.
 *
 * <p>The files are read in the order of their paths by UTF-8 bytes; blank lines are no records.
 */
public final class History {

    /** A file by its path under the source folder. */
    public record LogFile(String path, List<byte[]> lines) {
        public LogFile {
            lines = List.copyOf(lines);
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

    public JobPlan plan() {
        return plan;
    }

    public List<LogFile> files() {
        return files;
    }

    /** The records in the order in which the log is read. */
    public List<SourceRecord> records() {
        List<SourceRecord> records = new ArrayList<>();
        for (LogFile file : files) {
            long offset = 0;
            for (byte[] line : file.lines()) {
                if (!isBlank(line)) {
                    records.add(new SourceRecord(file.path(), offset, line));
                    offset++;
                }
            }
        }
        return records;
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
                plan.changes(),
                plan.time(),
                plan.partition(),
                plan.target());
    }

    /** The same records, {@code length} to a file. */
    public History cut(int length) {
        List<byte[]> payloads = records().stream().map(SourceRecord::payload).toList();
        List<LogFile> pieces = new ArrayList<>();
        for (int from = 0; from < payloads.size(); from += length) {
            int to = Math.min(payloads.size(), from + length);
            pieces.add(new LogFile("cut-%06d.json".formatted(pieces.size()), payloads.subList(from, to)));
        }
        return new History(name + ", " + length + " to a file", plan, pieces);
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
            for (byte[] line : file.lines()) {
                if (!isBlank(line) && kept.test(index++)) {
                    lines.add(line);
                }
            }
            if (!lines.isEmpty()) {
                rest.add(new LogFile(file.path(), lines));
            }
        }
        return new History(newName, plan, rest);
    }

    String name() {
        return name;
    }

    private static boolean isBlank(byte[] line) {
        return new String(line, StandardCharsets.ISO_8859_1).isBlank();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The name (of a generated history: seed and profile), the plan and the lines: enough to see what went wrong. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("history ").append(name).append('\n');
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
