package dev.tidemark.gate.flink;

import static dev.tidemark.gate.flink.Stamps.micros;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.tidemark.gate.Bound;
import dev.tidemark.gate.Bounds;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.RestoreException;
import dev.tidemark.gate.flink.Stamps.Saved;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.Decision;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PublicationRule;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Tally;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StampOperatorTest {
    private static final JobPlan PLAN = Plans.products().withLogsByFolder().plan();
    private static final LocalDate DAY = LocalDate.parse("2024-03-10");

    @Test
    void rescalingKeepsWhereEachLogStandsWhoeverReadsItNext() throws Exception {
        int logs = 9;
        Saved saved;
        try (Stamps four = new Stamps(PLAN, 4, List.of(), null)) {
            for (int i = 0; i < logs; i++) {
                four.begins(i % 4, "log" + i, true);
                for (int record = 0; record <= i; record++) {
                    four.reads(i % 4, "log" + i, DAY.plusDays(i));
                }
            }
            four.ready();
            saved = four.barrier(1);
        }
        for (int parallelism : new int[] {2, 4, 1, 3}) {
            try (Stamps next = new Stamps(PLAN, parallelism, List.of(), saved)) {
                for (int i = 0; i < logs; i++) {
                    next.takes((i / 2) % parallelism, "log" + i);
                }
                next.ready();
                saved = next.barrier(saved.checkpoint() + 1);
                List<Cut> cuts = next.cuts();
                List<LogCut> named =
                        cuts.stream().flatMap(cut -> cut.logs().stream()).toList();
                for (int i = 0; i < logs; i++) {
                    String log = "log" + i;
                    LogCut expected =
                            new LogCut(log, log + "/1.json", i + 1, log + "/1.json", i + 1, micros(DAY.plusDays(i)));
                    assertThat(named)
                            .filteredOn(it -> it.log().equals(log))
                            .isNotEmpty()
                            .containsOnly(expected);
                }
            }
        }
    }

    @Test
    void stateOfAnotherDefinitionIsRefusedWithoutARestart() throws Exception {
        Saved saved;
        try (Stamps folders = new Stamps(PLAN, 2, List.of(), null)) {
            folders.begins(0, "a", true);
            folders.reads(0, "a", DAY);
            saved = folders.barrier(1);
        }
        JobPlan oneLog = Plans.products().plan();

        assertThatThrownBy(() -> new Stamps(oneLog, 3, List.of(), saved))
                .hasRootCauseInstanceOf(RestoreException.class)
                .hasStackTraceContaining("SuppressRestartsException")
                .hasStackTraceContaining("source.logs: \"folder\" is now \"source\"");
    }

    @Test
    void aBarrierBeforeALogIsTakenLosesNothing() throws Exception {
        Saved saved;
        try (Stamps first = new Stamps(PLAN, 2, List.of(), null)) {
            first.begins(1, "a", true);
            first.reads(1, "a", DAY);
            first.reads(1, "a", DAY.plusDays(1));
            saved = first.barrier(1);
        }
        for (int round = 0; round < 3; round++) {
            try (Stamps silent = new Stamps(PLAN, 2, List.of(), saved)) {
                saved = silent.barrier(saved.checkpoint() + 1);
            }
        }
        try (Stamps last = new Stamps(PLAN, 2, List.of(), saved)) {
            last.takes(1, "a");
            last.readsOnFrom("a", 2);
            assertThat(last.reads(1, "a", DAY)).isEqualTo(micros(DAY.plusDays(1)));
            last.barrier(9);
            assertThat(last.cuts())
                    .filteredOn(cut -> cut.sender() == 1)
                    .singleElement()
                    .satisfies(cut -> assertThat(cut.logs())
                            .containsExactly(new LogCut("a", "a/1.json", 3, "a/1.json", 2, micros(DAY.plusDays(1)))));
        }
    }

    /** Else a new submission would stand behind in it for ever. */
    @Test
    void aLogThatNobodyReadsAnyMoreIsNamedOnceAndKept() throws Exception {
        Saved saved;
        try (Stamps first = new Stamps(PLAN, 2, List.of(), null)) {
            first.begins(0, "done", true);
            first.begins(1, "going", true);
            first.reads(0, "done", DAY);
            first.reads(1, "going", DAY.plusDays(5));
            saved = first.barrier(1);
        }
        List<LogCut> published = List.of(
                new LogCut("done", "done/1.json", 1, "done/1.json", 1, micros(DAY)),
                new LogCut("going", "going/1.json", 1, "going/1.json", 1, micros(DAY.plusDays(5))));
        PublicationRule rule = new PublicationRule(Gate.calendarOf(PLAN), 3, 2 * 3);
        Standing standing = new Standing(1, "s1", published, Standing.NOWHERE, Standing.NOWHERE, Standing.NOWHERE, 3);
        try (Stamps next = new Stamps(PLAN, 2, published, saved)) {
            next.takes(1, "going");
            next.ready();
            next.readsOnFrom("going", 1);
            next.reads(1, "going", DAY.plusDays(6));
            next.barrier(2);
            List<Cut> cuts = next.cuts();
            assertThat(cuts.stream().flatMap(cut -> cut.logs().stream()))
                    .filteredOn(it -> it.log().equals("done"))
                    .containsExactly(published.get(0));
            assertThat(rule.decide(standing, List.of(), List.of(part("s2", 2, cuts))))
                    .isInstanceOfSatisfying(Decision.Publish.class, publish -> {
                        assertThat(publish.frontierLeast()).isEqualTo(micros(DAY.plusDays(6)));
                        assertThat(publish.logs()).extracting(LogCut::log).containsExactly("done", "going");
                    });
            saved = next.barrier(3);
            assertThat(next.cuts().stream().flatMap(cut -> cut.logs().stream()))
                    .extracting(LogCut::log)
                    .containsExactly("going");
        }
        try (Stamps again = new Stamps(PLAN, 1, List.of(), saved)) {
            again.takes(0, "done");
            again.readsOnFrom("done", 1);
            assertThat(again.reads(0, "done", DAY.minusDays(1))).isEqualTo(micros(DAY));
        }
    }

    @Test
    void aBoundTellsTheLeastOfTheActiveLogsAndOfAll() throws Exception {
        try (Stamps stamps = new Stamps(PLAN, 1, List.of(), null)) {
            stamps.begins(0, "a", true);
            stamps.barrier(1);
            assertThat(stamps.bounds()).containsExactly(new Bound(0, 1, false, false, Frontier.UNKNOWN, Bound.NONE));
            stamps.begins(0, "b", true);
            stamps.ready();
            stamps.reads(0, "a", DAY);
            stamps.reads(0, "b", DAY.plusDays(2));
            stamps.quiet(0, "a");
            stamps.barrier(2);
            assertThat(stamps.bounds())
                    .containsExactly(new Bound(0, 1, true, false, micros(DAY.plusDays(2)), micros(DAY)));
            stamps.reads(0, "a", DAY.plusDays(1));
            stamps.quiet(0, "b");
            stamps.finish();
            assertThat(stamps.bounds())
                    .containsExactly(new Bound(0, 1, true, true, micros(DAY.plusDays(1)), micros(DAY.plusDays(1))));
        }
    }

    @Test
    void aRecordOfALogThatNobodyTookIsRefused() throws Exception {
        try (Stamps stamps = new Stamps(PLAN, 1, List.of(), null)) {
            assertThatThrownBy(() -> stamps.reads(0, "a", DAY))
                    .hasMessageContaining("the log 'a' has come, which the source has not said that it reads");
        }
    }

    @Test
    void ofALogThatIsBegunBehindItsBeginningThePartitionsBehindItsFirstMarkAreWhole() throws Exception {
        long next = DAY.plusDays(1).toEpochDay();
        Saved saved;
        try (Stamps stamps = new Stamps(PLAN, 1, List.of(), null)) {
            stamps.begins(0, "a", false);
            stamps.begins(0, "b", true);
            stamps.readsPoison(0, "a");
            stamps.reads(0, "b", DAY);
            saved = stamps.barrier(1);
            stamps.reads(0, "a", DAY);
            stamps.reads(0, "a", DAY.plusDays(3));
            assertThat(stamps.changes)
                    .extracting(it -> it.log(), it -> it.wholeFrom())
                    .containsExactly(tuple("b", Long.MIN_VALUE), tuple("a", next), tuple("a", next));
            saved = stamps.barrier(2);
        }
        try (Stamps restored = new Stamps(PLAN, 1, List.of(), saved)) {
            restored.takes(0, "a");
            restored.readsOnFrom("a", 3);
            restored.reads(0, "a", DAY.plusDays(4));
            assertThat(restored.changes).extracting(it -> it.wholeFrom()).containsExactly(next);
            restored.barrier(3);
            List<Cut> cuts = restored.cuts();
            Decision decision = new PublicationRule(Gate.calendarOf(PLAN), 30, 2 * 30)
                    .decide(Standing.NONE, List.of(), List.of(part("s", 3, cuts)));
            assertThat(decision)
                    .isInstanceOfSatisfying(
                            Decision.Publish.class,
                            publish -> assertThat(publish.completeFrom()).isEqualTo(next));
        }
    }

    @Test
    void aLogWithoutAMarkAtACheckpointStillWaitsForItsFirstMark() throws Exception {
        Saved saved;
        try (Stamps stamps = new Stamps(PLAN, 1, List.of(), null)) {
            stamps.begins(0, "a", false);
            stamps.readsPoison(0, "a");
            saved = stamps.barrier(1);
        }
        try (Stamps restored = new Stamps(PLAN, 1, List.of(), saved)) {
            restored.takes(0, "a");
            restored.readsOnFrom("a", 1);
            restored.reads(0, "a", DAY);
            assertThat(restored.changes)
                    .extracting(it -> it.wholeFrom())
                    .containsExactly(DAY.plusDays(1).toEpochDay());
        }
    }

    /** The bound that operators close by and the one that is published: whatever the logs do, they are the same. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void operatorsAndPublicationsGoByTheSameBound(int parallelism) throws Exception {
        Map<String, Integer> seen = new HashMap<>();
        for (int seed = 0; seed < 60; seed++) {
            Random random = new Random(seed);
            try (Stamps stamps = new Stamps(PLAN, parallelism, List.of(), null)) {
                Bounds bounds = new Bounds();
                PublicationRule rule = new PublicationRule(Gate.calendarOf(PLAN), 3, 2 * 3);
                Standing standing = Standing.NONE;
                List<StagedPart> parts = new ArrayList<>();
                Map<String, Integer> owners = new HashMap<>();
                Set<Integer> ready = new HashSet<>();
                for (int checkpoint = 1; checkpoint <= 8; checkpoint++) {
                    for (int step = random.nextInt(12); step > 0; step--) {
                        step(random, stamps, owners, ready, parallelism);
                    }
                    if (checkpoint == 8) {
                        stamps.finish();
                    } else {
                        stamps.barrier(checkpoint);
                    }
                    stamps.bounds().forEach(bounds::take);
                    parts.add(part("s", checkpoint, stamps.cuts()));
                    if (checkpoint < 8 && random.nextInt(3) == 0) {
                        continue;
                    }
                    Decision decision = rule.decide(standing, List.of(), parts);
                    parts.clear();
                    if (decision instanceof Decision.Publish publish) {
                        assertThat(publish.frontierLeast())
                                .as("seed %d, checkpoint %d", seed, checkpoint)
                                .isEqualTo(bounds.least());
                        seen.merge(bounds.least() == Frontier.UNKNOWN ? "unknown" : "known", 1, Integer::sum);
                        standing = new Standing(
                                checkpoint,
                                "s",
                                publish.logs(),
                                publish.closedBefore(),
                                publish.endedBefore(),
                                publish.retainedFrom(),
                                3);
                    } else {
                        assertThat(decision).isInstanceOf(Decision.NothingNew.class);
                    }
                }
            }
        }
        assertThat(seen.get("unknown")).isGreaterThan(20);
        assertThat(seen.get("known")).isGreaterThan(20);
    }

    private static void step(
            Random random, Stamps stamps, Map<String, Integer> owners, Set<Integer> ready, int parallelism)
            throws Exception {
        int subtask = random.nextInt(parallelism);
        if (random.nextInt(4) == 0 && ready.add(subtask)) {
            stamps.ready(subtask);
        } else if (owners.isEmpty() || (random.nextInt(5) == 0 && owners.size() < 6)) {
            String log = "log" + owners.size();
            owners.put(log, subtask);
            stamps.begins(subtask, log, true);
        } else {
            String log = "log" + random.nextInt(owners.size());
            int owner = owners.getOrDefault(log, 0);
            switch (random.nextInt(4)) {
                case 0 -> stamps.quiet(owner, log);
                case 1 -> stamps.readsPoison(owner, log);
                default -> stamps.reads(owner, log, DAY.plusDays(random.nextInt(9)));
            }
        }
    }

    private static StagedPart part(String submission, long checkpoint, List<Cut> cuts) {
        long applied =
                cuts.stream().mapToLong(cut -> cut.read() - cut.rejected()).sum();
        return new StagedPart(
                submission,
                checkpoint,
                "p" + checkpoint,
                0,
                0,
                0,
                List.of(new Tally(applied, 0, 0, 0, -1, 0, List.of())),
                cuts);
    }
}
