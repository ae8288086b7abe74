package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.kit.Agreement;
import dev.tidemark.kit.ColumnCondition;
import dev.tidemark.kit.Course;
import dev.tidemark.kit.Course.Step;
import dev.tidemark.kit.Expressed;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Profile;
import dev.tidemark.kit.Profile.Layout;
import dev.tidemark.kit.RunningColumns;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.RejectedRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.kit.SourceRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The promises of the contract over generated histories: the whole job on operator harnesses, under checkpoints, aborted
 * checkpoints, crashes, restores, new submissions and rescaling drawn at random.
 *
 * <p>{@code -Dtidemark.harness.seeds=N} runs 10 x N histories against the oracle, {@code -Dtidemark.harness.first=N}
 * begins elsewhere.
 */
class HarnessHistoriesTest {
    private static final long SEEDS = Long.getLong("tidemark.harness.seeds", 50);
    private static final long FIRST = Long.getLong("tidemark.harness.first", 0);
    private static final int HISTORIES_A_SEED = 10;
    private static final int HISTORIES_A_PROMISE = 15;

    static LongStream fewSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, SEEDS / 10));
    }

    static LongStream fewestSeeds() {
        return LongStream.range(FIRST, FIRST + Math.max(1, SEEDS / 25));
    }

    static LongStream seeds() {
        return LongStream.range(FIRST, FIRST + SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void everyPublicationAgreesWithTheOracle(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            holds(i, HarnessHistoriesTest::difference);
        }
    }

    /** Logs that are unevenly far, some of them empty, in an order that is drawn: nobody can tell the order. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void overSeveralLogsEveryPublicationAgreesWithTheOracle(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            holds(2_000_000 + i, several(2_000_000 + i), HarnessHistoriesTest::difference);
        }
    }

    /** Promises 1, 2 and 5 where the order in which logs are read matters: ids that have changes in several. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void idsThatCrossLogsKeepThePromises(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            History history = crossing(2_100_000 + i);
            holds(history, Course.random(i, history.records().size()), HarnessHistoriesTest::difference);
        }
    }

    /** The same where barriers matter: logs that nobody waits for, and that come with what is closed. */
    @ParameterizedTest
    @MethodSource("fewSeeds")
    void logsThatWereIdleOrAreNewKeepThePromises(long seed) {
        for (long i = seed * HISTORIES_A_SEED; i < (seed + 1) * HISTORIES_A_SEED; i++) {
            History history = i % 4 == 3 ? crossing(2_200_000 + i) : several(2_200_000 + i);
            Course course = Course.random(i, history.records().size()).restless();
            holds(history, course, HarnessHistoriesTest::difference);
        }
    }

    /** What the oracle knows as deletes is said by {@code where}, what it knows as fields is derived. */
    @ParameterizedTest
    @MethodSource("fewestSeeds")
    void jobsThatSayItByExpressionsAgreeWithTheOracleOfDeletesAndFields(long seed) {
        for (long i = 1_800_000 + seed * HISTORIES_A_SEED; i < 1_800_000 + (seed + 1) * HISTORIES_A_SEED; i++) {
            holds(i, i % 3 == 2 ? several(i) : history(i), (course, history) -> {
                JobPlan expressed = Expressed.by(history.plan());
                return difference(course, history, expressed, Map.of());
            });
        }
    }

    /** A column sees a member, or ceases to, with the member's values: also when it is moved and withdrawn. */
    @ParameterizedTest
    @MethodSource("fewestSeeds")
    void columnsWithConditionsAgreeWithTheOracleOfPredicates(long seed) {
        for (long i = 1_900_000 + seed * HISTORIES_A_SEED; i < 1_900_000 + (seed + 1) * HISTORIES_A_SEED; i++) {
            History drawn = i % 3 == 2 ? several(i) : history(i);
            Map<String, ColumnCondition> conditions = ColumnCondition.random(drawn.plan(), new Random(i));
            JobPlan conditioned = ColumnCondition.in(drawn.plan(), conditions);
            holds(i, drawn, (course, history) -> difference(course, history, conditioned, conditions));
        }
    }

    /**
     * Running columns are those of a full computation over exactly the changes before the publication that wrote the row; in
     * a retroactive job before the last one, wherever a partition was open to it.
     */
    @ParameterizedTest
    @MethodSource("fewestSeeds")
    void runningColumnsAgreeWithTheOracleAsOfTheirPublication(long seed) {
        for (long i = 2_300_000 + seed * HISTORIES_A_SEED; i < 2_300_000 + (seed + 1) * HISTORIES_A_SEED; i++) {
            History drawn = i % 3 == 2 ? several(i) : history(i);
            History running = drawn.withPlan(RunningColumns.in(drawn.plan(), new Random(i)));
            holds(i, running, HarnessHistoriesTest::difference);
        }
    }

    /** Again over the same changes: a row that stands keeps its running columns, whatever its partition's neighbours do. */
    @Test
    void idempotenceOfRunningColumns() {
        for (long seed = 2_400_000; seed < 2_400_000 + HISTORIES_A_PROMISE / 2; seed++) {
            History drawn = history(seed);
            holds(seed, drawn.withPlan(RunningColumns.in(drawn.plan(), new Random(seed))), HarnessHistoriesTest::twice);
        }
    }

    @Test
    void inWindowCorrectness() {
        eachPublication(
                1_000_000,
                (agreement, publications) -> publications.stream()
                        .map(agreement::inWindowCorrectness)
                        .filter(difference -> difference != null)
                        .findFirst()
                        .orElse(null));
    }

    @Test
    void stablePrefix() {
        eachPublication(1_100_000, (agreement, publications) -> {
            for (int i = 1; i < publications.size(); i++) {
                String difference = Agreement.stablePrefix(publications.get(i - 1), publications.get(i));
                if (difference != null) {
                    return difference;
                }
            }
            return null;
        });
    }

    @Test
    void conservation() {
        eachPublication(
                1_200_000,
                (agreement, publications) -> publications.stream()
                        .map(Agreement::conservation)
                        .filter(difference -> difference != null)
                        .findFirst()
                        .orElse(null));
    }

    /** Again over the same changes, with other checkpoints and crashes: nothing at all changes. */
    @Test
    void idempotence() {
        for (long seed = 1_300_000; seed < 1_300_000 + HISTORIES_A_PROMISE; seed++) {
            holds(seed, HarnessHistoriesTest::twice);
            holds(seed, several(seed), HarnessHistoriesTest::twice);
        }
    }

    /**
     * Neither checkpoints nor parallelism nor the files that the records lie in, nor the order in which several logs are
     * read, change what becomes of a record.
     */
    @Test
    void deterministicAdmission() {
        for (long seed = 1_400_000; seed < 1_400_000 + HISTORIES_A_PROMISE; seed++) {
            holds(seed, HarnessHistoriesTest::recut);
            holds(seed, several(seed), HarnessHistoriesTest::recut);
        }
    }

    /**
     * What a narrow lookback withholds is in the state: restored with a wider one, whatever the job then says of a partition
     * that is open again is what it would be if it had always been open.
     */
    @Test
    void restoredWiderEqualsAJobThatRanWiderFromTheStart() {
        List<TargetRow> reopened = new ArrayList<>();
        for (long seed = 1_700_000; seed < 1_700_000 + 4 * HISTORIES_A_PROMISE; seed++) {
            History wide = seed % 2 == 0 ? history(seed) : several(seed);
            if (wide.plan().partition().lookback() > 0) {
                holds(
                        wide,
                        Course.random(seed, wide.records().size()),
                        (course, history) -> widened(course, history, reopened));
            }
        }
        assertThat(reopened).as("rows of partitions that were closed").hasSizeGreaterThan(HISTORIES_A_PROMISE);
    }

    /** A new submission without state holds parts of partitions only, until it has caught up: they are not seen. */
    @Test
    void noFragmentOverAWhole() {
        for (long seed = 1_500_000; seed < 1_500_000 + HISTORIES_A_PROMISE; seed++) {
            holds(seed, HarnessHistoriesTest::catchingUp);
            holds(seed, several(seed), HarnessHistoriesTest::catchingUp);
        }
    }

    /** Flink's watermarks at any place and any time: idleness, end of input, drain. */
    @Test
    void rawWatermarksChangeNothing() {
        for (long seed = 1_600_000; seed < 1_600_000 + HISTORIES_A_PROMISE; seed++) {
            holds(seed, (course, history) -> {
                List<Step> flooded = new ArrayList<>();
                for (Step step : course.steps()) {
                    flooded.add(new Step.Watermark());
                    flooded.add(step);
                }
                flooded.add(new Step.Watermark());
                return difference(new Course(course.seed(), course.parallelism(), flooded), history);
            });
        }
    }

    // ------------------------------------------------------------------------------------------------ differences

    private static History history(long seed) {
        return seed % 5 == 4 ? Histories.random(seed, Profile.forgetful()) : Histories.random(seed);
    }

    private static History several(long seed) {
        return Histories.random(seed, Profile.several(layout(seed)));
    }

    private static History crossing(long seed) {
        return Histories.random(seed, Profile.crossing(layout(seed)));
    }

    private static Layout layout(long seed) {
        return seed % 2 == 0 ? Layout.FOLDERS : Layout.PARTITIONS;
    }

    private static void eachPublication(
            long first, BiFunction<Agreement, List<Publication>, @Nullable String> question) {
        for (long seed = first; seed < first + HISTORIES_A_PROMISE; seed++) {
            holds(seed, (course, history) -> {
                try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
                    HarnessSource source = course.run("run", history, warehouse);
                    return question.apply(Agreement.of(history, source), warehouse.publications());
                }
            });
        }
    }

    /** Something that should hold of a course over a history. */
    @FunctionalInterface
    private interface Trial {
        /** What is otherwise; null: nothing. */
        @Nullable
        String difference(Course course, History history) throws Exception;
    }

    private static void holds(long seed, Trial trial) {
        holds(seed, history(seed), trial);
    }

    private static void holds(long seed, History history, Trial trial) {
        holds(history, Course.random(seed, history.records().size()), trial);
    }

    /** Fails with the shortest course and the smallest history in which something is otherwise. */
    private static void holds(History history, Course course, Trial trial) {
        if (told(trial, course, history) == null) {
            return;
        }
        Course shorter = course.shrink(candidate -> told(trial, candidate, history) != null);
        History smallest = Histories.shrink(history, candidate -> told(trial, shorter, candidate) != null);
        Course shortest = shorter.shrink(candidate -> told(trial, candidate, smallest) != null);
        fail(told(trial, shortest, smallest) + "\nin the course " + shortest
                + "\nover the smallest part that fails, of " + smallest);
    }

    private static @Nullable String told(Trial trial, Course course, History history) {
        try {
            return trial.difference(course, history);
        } catch (Exception failure) {
            return told(failure);
        }
    }

    /** The failure and its causes, each with the project's own frames. */
    private static String told(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            text.append(cause).append('\n');
            Arrays.stream(cause.getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("dev.tidemark"))
                    .limit(8)
                    .forEach(frame -> text.append("    at ").append(frame).append('\n'));
        }
        return text.toString();
    }

    private static @Nullable String difference(Course course, History history) throws Exception {
        return difference(course, history, history.plan(), Map.of());
    }

    /** What a job of another plan, which says the same but for the conditions, makes of the history otherwise. */
    private static @Nullable String difference(
            Course course, History history, JobPlan plan, Map<String, ColumnCondition> conditions) throws Exception {
        try (MemoryWarehouse warehouse = new MemoryWarehouse(plan)) {
            HarnessSource source = course.run("run", history.withPlan(plan), warehouse);
            return difference(Agreement.of(history, source, conditions), history, warehouse);
        }
    }

    private static @Nullable String difference(Agreement agreement, History history, MemoryWarehouse warehouse) {
        List<Publication> publications = warehouse.publications();
        String difference = agreement.difference(publications);
        if (difference != null) {
            return difference;
        }
        int published = agreement.published();
        int records = history.records().size();
        return published == records ? null : "of " + records + " records, " + published + " are published at the end";
    }

    private static @Nullable String twice(Course course, History history) throws Exception {
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            course.run("first", history, warehouse);
            Visible once = warehouse.visible();
            int publications = warehouse.publications().size();
            Course again = Course.random(course.seed() + 7, history.records().size());
            again.run("second", history, warehouse);
            if (warehouse.publications().size() != publications) {
                return "a second run in the course " + again + " published "
                        + warehouse.publications().get(publications);
            }
            return warehouse.visible().equals(once)
                    ? null
                    : "a second run changed\n" + once + "\nto\n" + warehouse.visible();
        }
    }

    private static @Nullable String recut(Course course, History history) throws Exception {
        History other = history.cut(1 + (int) (course.seed() % 9));
        Course otherCourse = Course.random(course.seed() + 7, history.records().size());
        try (MemoryWarehouse one = new MemoryWarehouse(history.plan());
                MemoryWarehouse two = new MemoryWarehouse(history.plan())) {
            course.run("one", history, one);
            otherCourse.run("two", other, two);
            String is = verdicts(history, one.visible());
            String otherwise = verdicts(other, two.visible());
            return is.equals(otherwise)
                    ? null
                    : is + "\nand in the course " + otherCourse + ", cut otherwise\n" + otherwise;
        }
    }

    /** All that was decided of records, by their ordinal in the log, and what it came to. */
    private static String verdicts(History history, Visible visible) {
        Map<String, Integer> ordinals = new HashMap<>();
        for (SourceRecord record : history.records()) {
            ordinals.put(record.split() + ":" + record.offset(), ordinals.size());
        }
        StringBuilder text = new StringBuilder();
        for (LedgerRow row : visible.ledger()) {
            text.append(ordinals.get(row.split() + ":" + row.offset()))
                    .append(List.of(row.half(), row.reason(), row.partition() + "", row.key() + "", row.age() + ""));
        }
        for (RejectedRow row : visible.rejected()) {
            text.append(ordinals.get(row.split() + ":" + row.offset())).append(row.reason());
        }
        return text.append(visible.rows())
                .append(visible.counts())
                .append(new TreeMap<>(visible.partitions()))
                .append(visible.lateness().hashCode())
                .toString();
    }

    private static @Nullable String widened(Course course, History wide, List<TargetRow> reopened) throws Exception {
        Random random = new Random(course.seed());
        int lookback = random.nextInt(wide.plan().partition().lookback());
        History narrow = wide.withPlan(withLookback(wide.plan(), lookback));
        HarnessSource source = new HarnessSource(narrow);
        try (MemoryWarehouse first = new MemoryWarehouse(narrow.plan());
                MemoryWarehouse second = new MemoryWarehouse(wide.plan())) {
            Checkpoint checkpoint;
            String openFrom;
            String closedBefore;
            try (HarnessJob job =
                    HarnessJob.submit(narrow.plan(), source, first, "narrow", 1 + random.nextInt(3), random)) {
                job.read(random.nextInt(wide.records().size() + 1));
                job.checkpoint();
                // nothing is left in it that the other warehouse could miss
                job.checkpoint();
                checkpoint = job.completed().get(1);
                Oracle before = new Oracle(wide.plan());
                checkpoint
                        .positions()
                        .forEach((log, position) ->
                                source.records(log).subList(0, position).forEach(before::accept));
                openFrom = before.snapshot().completeFrom();
                closedBefore = first.visible().closedBefore();
            }
            try (HarnessJob job = HarnessJob.submitFrom(
                    checkpoint, wide.plan(), source, second, "wide", 1 + random.nextInt(3), random)) {
                job.read(Integer.MAX_VALUE);
                job.finish();
                job.checkpoint();
            }
            Oracle oracle = new Oracle(wide.plan(), Fingerprints.of(wide.plan()));
            wide.records().forEach(oracle::accept);
            List<TargetRow> expected = oracle.snapshot().target();
            List<TargetRow> otherwise = second.visible().rows().stream()
                    .filter(row -> openFrom != null && row.partition().compareTo(openFrom) >= 0)
                    .filter(row -> !expected.contains(row))
                    .toList();
            second.visible().rows().stream()
                    .filter(row -> openFrom != null && row.partition().compareTo(openFrom) >= 0)
                    .filter(row -> closedBefore != null && row.partition().compareTo(closedBefore) < 0)
                    .forEach(reopened::add);
            return otherwise.isEmpty()
                    ? null
                    : "narrow " + lookback + ", restored at " + checkpoint.positions() + "\n  has      " + otherwise
                            + "\n  and not  " + expected;
        }
    }

    private static JobPlan withLookback(JobPlan plan, int lookback) {
        PartitionPlan partition = plan.partition();
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.fields(),
                plan.where(),
                plan.changes(),
                plan.time(),
                new PartitionPlan(
                        partition.grain(),
                        partition.zone(),
                        lookback,
                        partition.because(),
                        partition.retain(),
                        partition.column(),
                        partition.wholeFrom()),
                plan.target());
    }

    private static @Nullable String catchingUp(Course course, History history) throws Exception {
        Random random = new Random(course.seed());
        int records = history.records().size();
        int first = random.nextInt(records + 1);
        HarnessSource source = new HarnessSource(history);
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "first", 1, random)) {
                job.read(first);
                job.checkpoint();
            }
            Visible whole = warehouse.visible();
            int parallelism = 1 + random.nextInt(3);
            try (HarnessJob job = HarnessJob.submit(history.plan(), source, warehouse, "second", parallelism, random)) {
                for (int read = 0; read < records; ) {
                    int step = 1 + random.nextInt(1 + records / 5);
                    job.read(step);
                    read += step;
                    job.checkpoint();
                    if (random.nextInt(4) == 0) {
                        job.crash(1 + random.nextInt(3));
                    }
                    if (read <= first && !warehouse.visible().equals(whole)) {
                        return "after " + read + " of " + first + " records published\n" + warehouse.visible()
                                + "\nstood over\n" + whole;
                    }
                }
                job.finish();
                job.checkpoint();
            }
            assertThat(warehouse.stagedParts()).isZero();
            return difference(Agreement.of(history, source), history, warehouse);
        }
    }
}
