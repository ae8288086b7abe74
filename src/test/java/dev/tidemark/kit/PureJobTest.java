package dev.tidemark.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tidemark.change.avro.Decoders;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.Snapshot.TargetRow;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pure rules against the oracle: promises 1, 2, 5 and 6 without any machinery in between. */
class PureJobTest {
    private static final int SEEDS = Integer.getInteger("tidemark.pure.seeds", 60);
    private static final int HISTORIES_A_SEED = 10;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theRulesAgreeWithTheOracleAfterEachPrefix(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            agrees(Histories.random(i));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theRulesAgreeWithTheOracleBeyondMemory(long seed) {
        agrees(Histories.random(seed, Profile.forgetful()));
    }

    /**
     * Several logs, read in an order that is drawn; ids that cross logs are judged in this very order. Of these, what stands
     * before complete_from is not promised: a log that is ahead finds closed what another finds open.
     */
    @ParameterizedTest
    @MethodSource("seeds")
    void theRulesAgreeWithTheOracleOverSeveralLogs(long seed) {
        for (Layout layout : List.of(Layout.FOLDERS, Layout.PARTITIONS)) {
            agrees(Histories.random(2_000_000 + 2 * seed, Profile.several(layout)));
            agrees(Histories.random(2_000_001 + 2 * seed, Profile.several(layout)));
            agrees(Histories.random(2_100_000 + seed, Profile.crossing(layout)));
        }
    }

    @Test
    void theRulesAgreeOnOneLongHistory() {
        agrees(Histories.random(4711, Profile.everything().withRecords(3000, 3000)));
    }

    /** What the oracle knows as deletes is said by {@code where}, what it knows as fields is derived. */
    @ParameterizedTest
    @MethodSource("seeds")
    void conditionsAndDerivedFieldsAgreeWithTheOracleOfDeletesAndFields(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            History history = Histories.random(i);
            String difference = difference(history, Expressed.by(history.plan()));
            assertThat(difference).as("seed %d: %s", i, history.plan()).isNull();
        }
    }

    private static void agrees(History history) {
        if (difference(history) != null) {
            History smallest = Histories.shrink(history, candidate -> difference(candidate) != null);
            fail(difference(smallest) + "\nin the smallest part that fails, of " + smallest);
        }
    }

    /** What the rules say otherwise than the oracle; null: nothing. */
    private static @Nullable String difference(History history) {
        return difference(history, history.plan());
    }

    private static @Nullable String difference(History history, JobPlan expressed) {
        JobPlan plan = history.plan();
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        PureJob job = new PureJob(expressed, new Decoders().create(expressed));
        int at = 0;
        List<SourceRecord> records =
                history.interleaved(new Random(history.records().size()));
        int step = Math.max(1, records.size() / 20);
        boolean crossing = history.isCrossing();
        for (SourceRecord record : records) {
            try {
                oracle.accept(record);
                job.accept(record);
            } catch (RuntimeException failure) {
                return "record " + at + ": " + failure;
            }
            at++;
            if (at % step == 0 || at == records.size()) {
                Snapshot expected = oracle.snapshot();
                String difference = first(
                        differs("rejected", job.rejected(), expected.rejected()),
                        differs("counts", job.counts(), expected.counts()),
                        differs("ledger", job.ledger(), expected.ledger()),
                        differs(
                                "target",
                                promised(job.target(), crossing, expected),
                                promised(expected.target(), crossing, expected)));
                if (difference != null) {
                    return "after record " + (at - 1) + ": " + difference;
                }
            }
        }
        return null;
    }

    private static List<TargetRow> promised(List<TargetRow> target, boolean crossing, Snapshot snapshot) {
        String from = snapshot.completeFrom();
        return !crossing || from == null
                ? target
                : target.stream()
                        .filter(row -> row.partition().compareTo(from) >= 0)
                        .toList();
    }

    private static @Nullable String differs(String what, @Nullable Object actual, @Nullable Object expected) {
        return Objects.equals(actual, expected) ? null : what + "\n  is       " + actual + "\n  expected " + expected;
    }

    private static @Nullable String first(@Nullable String... differences) {
        return Arrays.stream(differences).filter(Objects::nonNull).findFirst().orElse(null);
    }
}
