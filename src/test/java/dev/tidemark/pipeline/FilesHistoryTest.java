package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.OrderItems;
import dev.tidemark.job.HistoryPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.ContentInMemory;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.flink.LogFiles;
import dev.tidemark.source.flink.SourceFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The files of a job, read in parallel, give what the stream has read of them. */
@Timeout(600)
class FilesHistoryTest {
    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(3)
            .build());

    @TempDir
    Path folder;

    /** One record that the stream reads. */
    private record Live(String log, String split, long offset, long sequence, String shown) {}

    private static JobPlan job(SourcePlan source) {
        JobPlan plan = Plans.products().plan();
        return new JobPlan(
                plan.job(), source, List.of(), null, plan.changes(), plan.time(), plan.partition(), plan.target());
    }

    private SourcePlan source(Format format, Logs logs) {
        return new SourcePlan("{}", format, folder.toString(), 0, logs, 60_000);
    }

    private static List<Live> live(SourcePlan source) throws IOException {
        List<Live> records = new ArrayList<>();
        LogFiles.forEach(
                source,
                record -> records.add(new Live(
                        record.log, record.split, record.offset, record.sequence, HistoryRecords.shown(record))));
        return records;
    }

    private static List<String> read(SourcePlan source, AsOf asOf, int parallelism) throws Exception {
        try (HistoryReading history = HistoryReading.begin(job(source), asOf, EventRange.ALL)) {
            assertThat(history.reach()).isEqualTo(HistoryReach.WHOLE);
            return HistoryRecords.read(history, parallelism);
        }
    }

    private static List<String> shown(List<Live> records) {
        return records.stream().map(Live::shown).toList();
    }

    /** Files of all sorts in three folders: of some records each, empty, compressed, damaged, with names that sort oddly. */
    private void write(Format format) {
        Random random = new Random(11);
        int number = 0;
        for (String log : List.of("east", "north-\uFFFD", "north-\uD83D\uDE00")) {
            for (String name : List.of("a/1", "a-b", "B", "c", "d", "\uD83D\uDE00")) {
                if (format == Format.JSON) {
                    writeLines(log + "/" + name, random, number++);
                } else {
                    writeContainer(log + "/" + name, random, number++);
                }
            }
            SourceFiles.put(folder.resolve(log + "/_hidden"), "none\n");
        }
    }

    private void writeLines(String name, Random random, int number) {
        StringBuilder text = new StringBuilder();
        for (int line = random.nextInt(60); line > 0; line--) {
            text.append("{\"id\": ").append(number).append(".").append(line).append("}\n");
            text.append(random.nextBoolean() ? "\n" : "not json\r\n");
        }
        switch (number % 3) {
            case 0 -> SourceFiles.put(folder.resolve(name + ".json"), text + "no end of line");
            case 1 -> SourceFiles.putGzip(folder.resolve(name + ".json.gz"), text.toString());
            default -> {
                byte[] whole = ContentInMemory.compressed(
                        text.append("x".repeat(5000)).toString().getBytes(StandardCharsets.UTF_8));
                SourceFiles.put(folder.resolve(name + ".json.gz"), Arrays.copyOf(whole, whole.length - 7));
            }
        }
    }

    private void writeContainer(String name, Random random, int number) {
        List<GenericRecord> items = new ArrayList<>();
        for (int i = 1 + random.nextInt(60); i > 0; i--) {
            items.add(OrderItems.random(random));
        }
        byte[] file = SourceFiles.container(OrderItems.SCHEMA, number % 2 == 0 ? "deflate" : "null", 7, items);
        switch (number % 4) {
            case 0 -> SourceFiles.put(folder.resolve(name + ".avro"), file);
            case 1 -> {
                // A byte inside of some block.
                file[file.length * 2 / 3] ^= 0x55;
                SourceFiles.put(folder.resolve(name + ".avro"), file);
            }
            case 2 -> SourceFiles.put(folder.resolve(name + ".avro.gz"), ContentInMemory.compressed(file));
            default -> SourceFiles.put(folder.resolve(name + ".avro"), "no container");
        }
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void isReadInParallelAsTheStreamReadsIt(Format format) throws Exception {
        write(format);
        for (Logs logs : Logs.values()) {
            List<Live> live = live(source(format, logs));
            assertThat(live).hasSizeGreaterThan(100);
            assertThat(live).anyMatch(record -> !record.shown().contains("damage=null"));
            for (int parallelism = 1; parallelism <= 3; parallelism++) {
                assertThat(read(source(format, logs), AsOf.END, parallelism))
                        .as("%s, %s, parallelism %d", format, logs, parallelism)
                        .containsExactlyInAnyOrderElementsOf(shown(live));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Format.class)
    void isReadUpToAnyPositionOfEachLog(Format format) throws Exception {
        write(format);
        Random random = new Random(12);
        for (Logs logs : Logs.values()) {
            Map<String, List<Live>> byLog = new LinkedHashMap<>();
            live(source(format, logs))
                    .forEach(record -> byLog.computeIfAbsent(record.log(), log -> new ArrayList<>())
                            .add(record));
            for (int i = 0; i < 4; i++) {
                List<LogCut> cuts = new ArrayList<>();
                List<Live> expected = new ArrayList<>();
                byLog.forEach((log, records) -> {
                    int count = random.nextInt(records.size() + 1);
                    if (count > 0) {
                        Live last = records.get(count - 1);
                        cuts.add(new LogCut(log, last.split(), last.offset() + 1, "", 0, LogCut.UNKNOWN));
                        expected.addAll(records.subList(0, count));
                    }
                });

                assertThat(read(source(format, logs), AsOf.of(cuts), 1 + i % 3))
                        .as("%s, %s, as of %s", format, logs, cuts)
                        .containsExactlyInAnyOrderElementsOf(shown(expected));
            }
        }
    }

    @Test
    void holdsTheFilesThatTheStreamHasPassedOver() throws Exception {
        SourcePlan source = source(Format.JSON, Logs.SOURCE);
        SourceFiles.put(folder.resolve("b"), "1\n2\n3\n");
        AsOf published = AsOf.of(List.of(new LogCut("", "b", 2, "", 0, LogCut.UNKNOWN)));
        SourceFiles.put(folder.resolve("a"), "late\n");
        SourceFiles.put(folder.resolve("c"), "4\n");

        assertThat(read(source, published, 2))
                .containsExactlyInAnyOrderElementsOf(shown(live(source).subList(0, 3)));
    }

    @Test
    void aSequenceOrdersTheRecordsOfALogAsTheirPositionsDo() throws Exception {
        write(Format.JSON);
        SourcePlan source = source(Format.JSON, Logs.FOLDER);
        List<Live> live = live(source);
        List<Long> inOrder = new ArrayList<>();
        try (HistoryReading history = HistoryReading.begin(job(source), AsOf.END, EventRange.ALL);
                var sequences = history.read(HistoryRecords.batch(3))
                        .map(new SequenceOf(), Types.TUPLE(Types.STRING, Types.LONG))
                        .uid("sequence")
                        .executeAndCollect()) {
            Map<String, Long> bySequence = new LinkedHashMap<>();
            sequences.forEachRemaining(each -> bySequence.put(each.f0, each.f1));
            live.stream()
                    .filter(record -> record.log().equals("east"))
                    .forEach(record -> inOrder.add(bySequence.get(record.shown())));
        }

        assertThat(inOrder)
                .hasSizeGreaterThan(20)
                .doesNotContainNull()
                .isSorted()
                .doesNotHaveDuplicates();
    }

    /** The sequence of a record. */
    static final class SequenceOf implements MapFunction<RawRecord, Tuple2<String, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple2<String, Long> map(RawRecord record) {
            return Tuple2.of(HistoryRecords.shown(record), record.sequence);
        }
    }

    @Test
    void otherFilesAreReadToTheirEndWhateverIsPublished() throws Exception {
        SourceFiles.put(folder.resolve("live/1"), "1\n");
        SourceFiles.put(folder.resolve("archive/1"), "2\n3\n");
        SourcePlan source =
                new SourcePlan("{}", Format.JSON, folder.resolve("live").toString(), 0, Logs.SOURCE, 60_000);
        SourcePlan archive =
                new SourcePlan("{}", Format.JSON, folder.resolve("archive").toString(), 0, Logs.SOURCE, 60_000);
        JobPlan live = job(source);
        JobPlan plan = new JobPlan(
                live.job(),
                source,
                List.of(),
                null,
                live.changes(),
                live.time(),
                live.partition(),
                live.target(),
                new HistoryPlan(HistoryPlan.Kind.CHANGES, archive, null, null));
        AsOf published = AsOf.of(List.of(new LogCut("", "1", 1, "", 0, LogCut.UNKNOWN)));

        try (HistoryReading history = HistoryReading.begin(plan, published, EventRange.ALL)) {
            assertThat(HistoryRecords.read(history, 1)).containsExactlyElementsOf(shown(live(archive)));
        }
    }

    @Test
    void whatIsReadIsCounted() throws Exception {
        write(Format.AVRO);
        SourcePlan source = source(Format.AVRO, Logs.SOURCE);
        long[] bytes = {0};
        long records = LogFiles.forEach(source, record -> bytes[0] += record.wholeLength);

        try (HistoryReading history = HistoryReading.begin(job(source), AsOf.END, EventRange.ALL)) {
            JobExecutionResult result = HistoryRecords.count(history, 2);

            assertThat(result.<Long>getAccumulatorResult(HistoryReading.RECORDS))
                    .isEqualTo(records);
            assertThat(result.<Long>getAccumulatorResult(HistoryReading.BYTES)).isEqualTo(bytes[0]);
        }
    }

    @Test
    void anEmptyFolderIsAnEmptyHistory() throws Exception {
        assertThat(read(source(Format.JSON, Logs.SOURCE), AsOf.END, 3)).isEmpty();
        assertThat(read(source(Format.JSON, Logs.FOLDER), AsOf.END, 1)).isEmpty();
    }

    @Test
    void aMissingFolderIsNamedWithItsKey() throws IOException {
        Files.delete(folder);

        assertThatThrownBy(() -> read(source(Format.JSON, Logs.SOURCE), AsOf.END, 1))
                .hasStackTraceContaining(" does not exist. Correct `source.files.path` in the job file, or create it.");
    }
}
