package dev.tidemark.source.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.RawRecord.Kind;
import dev.tidemark.source.flink.ReadersInHand.Said;
import dev.tidemark.source.flink.ReadersInHand.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What readers of several logs say of them, and how they keep in step. */
class SeveralLogsTest {
    private static final int WATCH = 100;
    private static final Duration IDLE = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void everyLogIsTakenBeforeItsRecordsAndReadyComesBehindAll(int parallelism) throws Exception {
        days("a", "1.json", 1, 1, 3);
        days("b", "1.json", 1, 1, 3);
        days("c", "1.json", 1, 1, 3);
        Files.createDirectories(folder.resolve("empty"));
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, 0), parallelism, true, null)) {
            assertThat(readers.drain()).containsOnly(InputStatus.END_OF_INPUT);

            assertThat(readers.of(Kind.TAKEN)).extracting(Said::log).containsExactlyInAnyOrder("a", "b", "c", "empty");
            assertThat(readers.of(Kind.TAKEN))
                    .allSatisfy(it -> assertThat(it.begins()).isTrue());
            assertThat(readers.of(Kind.READY)).hasSize(parallelism);
            assertThat(readers.of(Kind.QUIET)).extracting(Said::log).containsExactlyInAnyOrder("a", "b", "c", "empty");
            for (int i = 0; i < parallelism; i++) {
                int reader = i;
                List<Kind> kinds = readers.said.stream()
                        .filter(it -> it.reader() == reader)
                        .map(Said::kind)
                        .toList();
                assertThat(kinds.lastIndexOf(Kind.TAKEN)).isLessThan(kinds.indexOf(Kind.READY));
                if (kinds.contains(Kind.RECORD)) {
                    assertThat(kinds.indexOf(Kind.READY)).isLessThan(kinds.indexOf(Kind.RECORD));
                    assertThat(kinds.lastIndexOf(Kind.RECORD)).isLessThan(kinds.lastIndexOf(Kind.QUIET));
                }
            }
        }
    }

    /** Flink takes no checkpoint of union state of which some subtasks have ended. */
    @Test
    void readersOfABoundedSourceEndTogether() throws Exception {
        days("a", "1.json", 1, 1, 3);
        days("b", "1.json", 1, 1, 3);
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, 0), 2, true, null)) {
            assertThat(readers.drain(0)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
            readers.clock.advanceTime(IDLE);
            assertThat(readers.drain(0)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
            assertThat(readers.drain()).containsOnly(InputStatus.END_OF_INPUT);
        }
    }

    @Test
    void aWatchedLogIsQuietAfterTheIdleTimeoutUntilItsNextRecord() throws Exception {
        days("a", "1.json", 1, 1, 3);
        Files.createDirectories(folder.resolve("empty"));
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, WATCH), 1, true, null)) {
            readers.drain();
            readers.clock.advanceTime(IDLE.minusMillis(1_000));
            readers.drain();
            assertThat(readers.of(Kind.QUIET)).isEmpty();
            readers.clock.advanceTime(Duration.ofSeconds(1));
            readers.drain();
            assertThat(readers.of(Kind.QUIET)).extracting(Said::log).containsExactlyInAnyOrder("a", "empty");
            readers.clock.advanceTime(IDLE);
            readers.drain();
            assertThat(readers.of(Kind.QUIET)).hasSize(2);

            days("a", "2.json", 2, 2, 3);
            readers.clock.advanceTime(Duration.ofMillis(WATCH));
            readers.drain();
            assertThat(readers.of(Kind.RECORD)).hasSize(6);
            readers.clock.advanceTime(IDLE);
            readers.drain();
            assertThat(readers.of(Kind.QUIET))
                    .extracting(Said::log)
                    .endsWith("a")
                    .hasSize(3);
        }
    }

    /** A folder that is looked at less often than the timeout is looked at before it is said to be at its end. */
    @Test
    void aLogIsNotQuietWhileAFileLiesThere() throws Exception {
        days("a", "1.json", 1, 1, 3);
        int seldom = (int) IDLE.multipliedBy(10).toMillis();
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, seldom), 1, true, null)) {
            readers.drain();
            days("a", "2.json", 2, 2, 3);
            readers.clock.advanceTime(IDLE);
            readers.drain();
            assertThat(readers.of(Kind.RECORD)).hasSize(6);
            assertThat(readers.of(Kind.QUIET)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aLogThatIsAheadWaitsForTheOneThatIsDaysBehind(int parallelism) throws Exception {
        int aDay = 300;
        days("slow", "1.json", 1, 12, aDay);
        days("fast", "1.json", 4, 15, aDay);
        days("middle", "1.json", 2, 13, aDay);
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, 0), parallelism, true, null)) {
            assertThat(readers.drain()).containsOnly(InputStatus.END_OF_INPUT);

            Map<String, Long> day = new HashMap<>();
            Map<String, Integer> read = new HashMap<>();
            for (Said record : readers.of(Kind.RECORD)) {
                day.put(record.log(), record.day());
                boolean hasPace = read.merge(record.log(), 1, Integer::sum) > 256;
                long least = day.values().stream().mapToLong(it -> it).min().orElseThrow();
                if (hasPace && read.getOrDefault("slow", 0) < 12 * aDay) {
                    // One day beyond the least, and what is left of a turn.
                    assertThat(record.day() - least).as(record.toString()).isLessThanOrEqualTo(2);
                }
            }
            assertThat(read).containsOnly(Map.entry("slow", 3600), Map.entry("fast", 3600), Map.entry("middle", 3600));
        }
    }

    /** Without a stamping operator behind it nobody says how far a log has come. */
    @Test
    void nothingWaitsWhereNothingIsStamped() throws Exception {
        days("slow", "1.json", 1, 2, 600);
        days("fast", "1.json", 30, 31, 600);
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, 0), 2, false, null)) {
            readers.poll(0);
            readers.poll(1);
            readers.drain(readers.readerOf("fast"));
            assertThat(readers.of(Kind.RECORD))
                    .filteredOn(it -> it.log().equals("fast"))
                    .hasSize(1200);
        }
    }

    @Test
    void aLogThatIsHeldIsNotQuietAndGoesOnWhenTheOtherIs() throws Exception {
        String ahead = "a";
        String behind = "b";
        days(behind, "1.json", 1, 1, 10);
        days(ahead, "1.json", 9, 9, 600);
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, WATCH), 2, true, null)) {
            readers.drain();
            assertThat(readers.readerOf(ahead)).isNotEqualTo(readers.readerOf(behind));
            assertThat(records(readers, ahead)).isEqualTo(256);

            readers.clock.advanceTime(IDLE);
            readers.drain(readers.readerOf(ahead));
            assertThat(readers.of(Kind.QUIET)).isEmpty();

            readers.drain();
            assertThat(readers.of(Kind.QUIET)).extracting(Said::log).containsExactly(behind);
            assertThat(records(readers, ahead)).isEqualTo(600);
        }
    }

    @Test
    void aFolderThatIsAddedIsTakenWhenItIsFound() throws Exception {
        days("a", "1.json", 1, 1, 3);
        try (ReadersInHand readers = new ReadersInHand(SourceFiles.folders(folder, WATCH), 2, true, null)) {
            readers.drain();
            days("b", "1.json", 1, 1, 3);
            readers.discover();
            readers.drain();
            assertThat(readers.of(Kind.TAKEN)).extracting(Said::log).containsExactly("a", "b");
            assertThat(readers.of(Kind.READY)).hasSize(2);
            assertThat(records(readers, "b")).isEqualTo(3);
        }
    }

    @Test
    void aRestoreAtAnyPlaceTakesUpEachLogWhereItStood() throws Exception {
        days("a", "1.json", 1, 3, 100);
        days("b", "1.json", 1, 3, 100);
        days("c", "1.json", 1, 3, 100);
        for (int polls : List.of(0, 1, 5, 300, 700)) {
            List<Said> records = new ArrayList<>();
            State state;
            try (ReadersInHand first = new ReadersInHand(SourceFiles.folders(folder, 0), 3, true, null)) {
                for (int i = 0; i < polls; i++) {
                    first.poll(i % 3);
                }
                state = first.snapshot();
                records.addAll(first.of(Kind.RECORD));
            }
            try (ReadersInHand second = new ReadersInHand(SourceFiles.folders(folder, 0), 2, true, state)) {
                assertThat(second.drain()).containsOnly(InputStatus.END_OF_INPUT);
                for (Said taken : second.of(Kind.TAKEN)) {
                    long before = records.stream()
                            .filter(it -> it.log().equals(taken.log()))
                            .count();
                    assertThat(taken.offset()).isEqualTo(before);
                    assertThat(taken.begins()).isEqualTo(before == 0);
                    assertThat(taken.split()).isEqualTo(before == 0 ? "" : taken.log() + "/1.json");
                }
                assertThat(second.of(Kind.TAKEN)).extracting(Said::log).containsExactlyInAnyOrder("a", "b", "c");
                records.addAll(second.of(Kind.RECORD));
            }
            assertThat(records).hasSize(900);
            assertThat(records).extracting(it -> it.split() + " " + it.offset()).doesNotHaveDuplicates();
        }
    }

    private static long records(ReadersInHand readers, String log) {
        return readers.of(Kind.RECORD).stream()
                .filter(it -> it.log().equals(log))
                .count();
    }

    /** A file of a log with so many records of each day. */
    private void days(String log, String file, int first, int last, int aDay) throws IOException {
        StringBuilder text = new StringBuilder();
        for (int day = first; day <= last; day++) {
            text.append((day + "\n").repeat(aDay));
        }
        SourceFiles.put(folder.resolve(log).resolve(file), text.toString());
    }
}
