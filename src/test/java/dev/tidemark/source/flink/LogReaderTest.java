package dev.tidemark.source.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.OrderItems;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.util.clock.SystemClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogReaderTest {
    private static final List<String> TOLD = new ArrayList<>();

    @TempDir
    Path folder;

    @Test
    void filesAreReadInTheOrderOfTheirPathsAsUtf8() throws IOException {
        for (String name : List.of("b/1", "a/2", "a-b/3", "a.json", "\uD83D\uDE00", "\uFFFD", "c/d/e", "B")) {
            SourceFiles.put(folder.resolve(name), name + "\n");
        }
        for (String name : List.of("_SUCCESS", ".hidden/x", "x.tmp", "c/_log/1", "c/y.tmp/1")) {
            Path path = folder.resolve(name);
            Files.createDirectories(path.getParent());
            Files.writeString(path, "none\n");
        }
        assertThat(rest(bounded(Format.JSON), LogSplit.unread("")))
                .containsExactly(
                        "B 0 0 B",
                        "a-b/3 0 1 a-b/3",
                        "a.json 0 2 a.json",
                        "a/2 0 3 a/2",
                        "b/1 0 4 b/1",
                        "c/d/e 0 5 c/d/e",
                        "\uFFFD 0 6 \uFFFD",
                        "\uD83D\uDE00 0 7 \uD83D\uDE00");
    }

    @Test
    void aSingleFileIsASplitOfItsName() throws IOException {
        SourceFiles.put(folder.resolve("_one.json"), "a\n\nb");
        SourcePlan plan = SourceFiles.bounded(folder.resolve("_one.json"), Format.JSON);
        assertThat(rest(plan, LogSplit.unread(""))).containsExactly("_one.json 0 0 a", "_one.json 1 1 b");
    }

    @Test
    void aRestoreAtAnyRecordGivesTheSameRest() throws IOException {
        SourceFiles.put(folder.resolve("json/1.json"), "a\n\nb\r\n  \nc");
        SourceFiles.put(folder.resolve("json/2.json"), "");
        SourceFiles.putGzip(folder.resolve("json/3.json.gz"), "d\n\n\ne\nf\n\n");
        assertRestorableEverywhere(SourceFiles.bounded(folder.resolve("json"), Format.JSON), 6);

        Random random = new Random(5);
        List<GenericRecord> items = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            items.add(OrderItems.random(random));
        }
        byte[] file = SourceFiles.container(OrderItems.SCHEMA, "snappy", 4, items);
        SourceFiles.put(folder.resolve("avro/1.avro"), file);
        SourceFiles.put(folder.resolve("avro/2.avro.gz"), dev.tidemark.source.ContentInMemory.compressed(file));
        SourceFiles.put(folder.resolve("avro/3.avro"), "no container");
        SourceFiles.put(folder.resolve("avro/4.avro"), file);
        assertRestorableEverywhere(SourceFiles.bounded(folder.resolve("avro"), Format.AVRO), 28);
    }

    @Test
    void aWatchedFolderGivesNewFilesAndSkipsThoseThatSortBefore() throws IOException, InterruptedException {
        TOLD.clear();
        SourcePlan plan = SourceFiles.watched(folder, Format.JSON, 1);
        SourceFiles.put(folder.resolve("b"), "1\n");
        SourceFolder source = new SourceFolder(plan.path(), plan.logs());
        try (LogReader reader = new LogReader(
                LogSplit.unread(""), plan, source, (log, path) -> TOLD.add(path), SystemClock.getInstance())) {
            assertThat(records(reader)).containsExactly("b 0 0 1");
            assertThat(reader.isFinished()).isFalse();
            SourceFiles.put(folder.resolve("c"), "2\n");
            Files.writeString(folder.resolve("d.tmp"), "half");
            Thread.sleep(5);
            assertThat(records(reader)).containsExactly("c 0 1 2");
            SourceFiles.put(folder.resolve("a"), "late\n");
            SourceFiles.put(folder.resolve("d"), "3\n");
            Thread.sleep(5);
            assertThat(records(reader)).containsExactly("d 0 2 3");
            Thread.sleep(5);
            assertThat(records(reader)).isEmpty();
            assertThat(reader.skippedFiles()).isEqualTo(1);
            assertThat(reader.snapshot().skipped()).containsExactly("a");
            assertThat(TOLD).containsExactly("a");
            Files.delete(folder.resolve("a"));
            Files.delete(folder.resolve("b"));
            Thread.sleep(5);
            assertThat(records(reader)).isEmpty();
            assertThat(reader.snapshot().skipped()).isEmpty();
            assertThat(reader.snapshot().begun().keySet()).containsExactly("c", "d");
        }
    }

    @Test
    void aBegunFileThatChangesStopsTheJobWithItsName() throws IOException, InterruptedException {
        SourcePlan plan = SourceFiles.watched(folder, Format.JSON, 1);
        SourceFiles.put(folder.resolve("a"), "1\n");
        SourceFiles.put(folder.resolve("b"), "2\n");
        LogSplit split = readAll(plan, LogSplit.unread("")).split();

        Files.setLastModifiedTime(folder.resolve("a"), FileTime.fromMillis(1));
        assertThat(readAll(plan, split).records()).isEmpty();

        SourceFiles.put(folder.resolve("a"), "9\n");
        Files.setLastModifiedTime(folder.resolve("a"), FileTime.fromMillis(2));
        assertThatThrownBy(() -> readAll(plan, split))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a has changed since the job began to read it");

        SourceFiles.put(folder.resolve("a"), "1\n");
        SourceFiles.put(folder.resolve("b"), "2\nmore\n");
        assertThatThrownBy(() -> readAll(plan, split)).hasMessageContaining("b has changed");
    }

    @Test
    void aFileThatGrowsWhileItIsReadStopsTheJobBeforeItsLastLine() throws IOException {
        SourcePlan plan = SourceFiles.watched(folder, Format.JSON, 1);
        Files.writeString(folder.resolve("a"), "1\nhal");
        SourceFolder source = new SourceFolder(plan.path(), plan.logs());
        try (LogReader reader =
                new LogReader(LogSplit.unread(""), plan, source, (log, path) -> {}, SystemClock.getInstance())) {
            RawRecord record = new RawRecord();
            assertThat(reader.next(record)).isTrue();
            Files.writeString(folder.resolve("a"), "1\nhalf\n");
            assertThatThrownBy(() -> reader.next(record)).hasMessageContaining("a has changed");
        }
    }

    @Test
    void aFileThatIsGoneCannotBeReadOn() throws IOException {
        SourcePlan plan = bounded(Format.JSON);
        SourceFiles.put(folder.resolve("a"), "1\n2\n");
        LogSplit split = stopAfter(plan, 1).split();
        Files.delete(folder.resolve("a"));
        assertThatThrownBy(() -> readAll(plan, split))
                .hasMessageContaining("a, of which the job has read a part, is gone");
    }

    @Test
    void aFileBesideTheFoldersIsAMistakeWithLogsFolder() throws IOException {
        SourceFiles.put(folder.resolve("east/1"), "1\n");
        assertThat(new SourceFolder(folder.toString(), dev.tidemark.job.JobPlan.Logs.FOLDER).logs())
                .containsExactly("east");
        SourceFiles.put(folder.resolve("2"), "1\n");
        assertThatThrownBy(() -> new SourceFolder(folder.toString(), dev.tidemark.job.JobPlan.Logs.FOLDER).logs())
                .hasMessageContaining("Move it into one");
    }

    private void assertRestorableEverywhere(SourcePlan plan, int count) throws IOException {
        List<String> whole = rest(plan, LogSplit.unread(""));
        assertThat(whole).hasSize(count);
        for (int stop = 0; stop <= count; stop++) {
            Stopped stopped = stopAfter(plan, stop);
            byte[] state = LogSplitSerializer.INSTANCE.serialize(stopped.split());
            LogSplit restored = LogSplitSerializer.INSTANCE.deserialize(1, state);
            assertThat(restored).isEqualTo(stopped.split());
            assertThat(stopped.records()).isEqualTo(whole.subList(0, stop));
            assertThat(rest(plan, restored)).as("after %d", stop).isEqualTo(whole.subList(stop, count));
        }
    }

    private SourcePlan bounded(Format format) {
        return SourceFiles.bounded(folder, format);
    }

    private record Stopped(List<String> records, LogSplit split) {}

    private static Stopped stopAfter(SourcePlan plan, int count) throws IOException {
        try (LogReader reader = open(plan, LogSplit.unread(""))) {
            List<String> records = new ArrayList<>();
            RawRecord record = new RawRecord();
            for (int i = 0; i < count; i++) {
                assertThat(reader.next(record)).isTrue();
                records.add(text(record));
            }
            return new Stopped(records, reader.snapshot());
        }
    }

    private static Stopped readAll(SourcePlan plan, LogSplit split) throws IOException {
        try (LogReader reader = open(plan, split)) {
            List<String> records = records(reader);
            return new Stopped(records, reader.snapshot());
        }
    }

    private static List<String> rest(SourcePlan plan, LogSplit split) throws IOException {
        return readAll(plan, split).records();
    }

    private static LogReader open(SourcePlan plan, LogSplit split) throws IOException {
        return new LogReader(
                split, plan, new SourceFolder(plan.path(), plan.logs()), (log, path) -> {}, SystemClock.getInstance());
    }

    private static List<String> records(LogReader reader) throws IOException {
        List<String> records = new ArrayList<>();
        RawRecord record = new RawRecord();
        while (reader.next(record)) {
            records.add(text(record));
        }
        return records;
    }

    private static String text(RawRecord record) {
        return record.split + " " + record.offset + " " + record.sequence + " "
                + new String(record.bytes, record.start, record.length, StandardCharsets.UTF_8);
    }
}
