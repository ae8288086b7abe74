package dev.tidemark.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.MemoryFlink;
import dev.tidemark.kit.MemoryWidenings;
import dev.tidemark.recovery.Widening.Arguments;
import dev.tidemark.recovery.Widening.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interrupted before and after each effect, a widening that is repeated ends as one that was not interrupted. */
class WideningStepsTest {
    private static final String NAME = "tidemark orders";
    private static final FlinkJobs.Settings SETTINGS =
            new FlinkJobs.Settings(3, 10_000, 600_000, 0, 5, true, "rocksdb");
    private static final Obstacle EXPIRED = new Obstacle("2026-09-15", Obstacle.Why.NOT_HELD, "state-expired", 1);

    /** The process was killed. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** All that outlives a process, and when the process is killed. */
    private static final class World {
        final MemoryFlink flink = new MemoryFlink(NAME, SETTINGS);
        final MemoryWidenings widenings = new MemoryWidenings();
        final Random random = new Random(7);
        List<Obstacle> obstacles = List.of();
        int effects;
        int killedBefore = -1;
        int killedAfter = -1;
        boolean killed;
        int rounds;

        World() {
            flink.start("first", 2);
            flink.pass();
            flink.pass();
        }

        private void effect(Runnable effect) {
            if (effects == killedBefore) {
                effects++;
                killed = true;
                throw new Killed();
            }
            effect.run();
            if (effects++ == killedAfter) {
                killed = true;
                throw new Killed();
            }
        }

        /** One process that does what the command does. */
        Widening command(Arguments arguments) {
            Widening widening = widenings.open();
            if (widening == null) {
                Widening begun = Widening.checked(
                        new UUID(0, ++rounds),
                        "orders",
                        arguments,
                        new Widening.Origin(2, 41, "first", flink.settings("first")));
                effect(() -> widenings.begin(begun));
                widening = begun;
            }
            WideningSteps steps = new WideningSteps(NAME, ports(), () -> obstacles, null);
            while (!widening.isDone()) {
                widening = steps.next(widening);
            }
            return widening;
        }

        /** Repeats the command until it is not killed. */
        void commandUntilItEnds(Arguments arguments) {
            for (int i = 0; i < 100; i++) {
                try {
                    command(arguments);
                    return;
                } catch (Killed again) {
                    if (random.nextBoolean()) {
                        flink.pass();
                    }
                    if (widenings.open() == null && !widenings.closed().isEmpty()) {
                        return;
                    }
                }
            }
            throw new AssertionError("the command does not come to its end");
        }

        private WideningSteps.Ports ports() {
            return new WideningSteps.Ports(
                    new Interrupted(),
                    new FlinkInterrupted(),
                    restart -> effect(() -> flink.submit(restart)),
                    flink,
                    what -> flink.pass(),
                    () -> new UUID(random.nextLong(), random.nextLong()));
        }

        private final class Interrupted implements Widenings {
            @Override
            public @Nullable Widening open() {
                return widenings.open();
            }

            @Override
            public @Nullable Widening lastDone() {
                return widenings.lastDone();
            }

            @Override
            public void begin(Widening widening) {
                effect(() -> widenings.begin(widening));
            }

            @Override
            public void record(Widening before, Widening after) {
                effect(() -> widenings.record(before, after));
            }

            @Override
            public void failed(Widening widening, String error) {
                effect(() -> widenings.failed(widening, error));
            }

            @Override
            public void close(Widening widening, String note) {
                effect(() -> widenings.close(widening, note));
            }

            @Override
            public void close() {}
        }

        private final class FlinkInterrupted implements FlinkJobs {
            @Override
            public boolean endsWithItsJob() {
                return flink.endsWithItsJob();
            }

            @Override
            public List<String> live(String name) {
                return flink.live(name);
            }

            @Override
            public @Nullable Phase phase(String flinkJob) {
                return flink.phase(flinkJob);
            }

            @Override
            public Settings settings(String flinkJob) {
                return flink.settings(flinkJob);
            }

            @Override
            public @Nullable String stop(String flinkJob, String trigger, @Nullable String folder) {
                effect(() -> flink.stop(flinkJob, trigger, folder));
                return null;
            }

            @Override
            public Stop stop(String flinkJob, String trigger) {
                return flink.stop(flinkJob, trigger);
            }

            @Override
            public @Nullable String savepoint(String flinkJob) {
                return flink.savepoint(flinkJob);
            }

            @Override
            public String failure(String flinkJob) {
                return flink.failure(flinkJob);
            }
        }
    }

    private static Widening upTo(Step step, World world, WideningSteps steps) {
        Widening widening = Widening.checked(
                new UUID(0, 1), "orders", new Arguments(5, false), new Widening.Origin(2, 41, "first", SETTINGS));
        world.widenings.begin(widening);
        while (widening.step() != step) {
            widening = steps.next(widening);
        }
        return widening;
    }

    private static List<String> outcome(World world) {
        List<String> outcome = new ArrayList<>(world.flink.history().stream()
                .map(line -> line.replaceAll("savepoint of [0-9a-f]{32}", "savepoint of the wider"))
                .toList());
        world.flink.widened().forEach(widened -> outcome.add("widened " + widened.lookback()));
        outcome.addAll(world.widenings.closed());
        return outcome;
    }

    private static List<String> expected(boolean thenNarrow) {
        return thenNarrow
                ? List.of(
                        "lookback 2, finished, from nothing",
                        "lookback 5, finished, from savepoint of first",
                        "lookback 2, running, from savepoint of the wider",
                        "widened 5",
                        "DONE: null")
                : List.of(
                        "lookback 2, finished, from nothing",
                        "lookback 5, running, from savepoint of first",
                        "widened 5",
                        "DONE: null");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stopsRestoresWiderAndWaitsForThePublication(boolean thenNarrow) {
        World world = new World();
        world.command(new Arguments(5, thenNarrow));
        assertThat(outcome(world)).isEqualTo(expected(thenNarrow));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void killedBeforeOrAfterAnyEffectItEndsTheSameWhenRepeated(boolean thenNarrow) {
        int kills = 0;
        for (boolean wasKilled = true; wasKilled; kills++) {
            wasKilled = false;
            for (boolean after : List.of(false, true)) {
                World world = new World();
                world.killedBefore = after ? -1 : kills;
                world.killedAfter = after ? kills : -1;
                world.commandUntilItEnds(new Arguments(5, thenNarrow));
                assertThat(outcome(world))
                        .as("killed %s effect %d", after ? "after" : "before", kills)
                        .isEqualTo(expected(thenNarrow));
                wasKilled |= world.killed;
            }
        }
        assertThat(kills).as("effects at which it was killed").isGreaterThan(thenNarrow ? 14 : 8);
    }

    @Test
    void killedAgainAndAgainItEndsTheSame() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            World world = new World();
            Arguments arguments = new Arguments(5, true);
            for (int i = 0;
                    i < 5
                            && (world.widenings.open() != null
                                    || world.widenings.closed().isEmpty());
                    i++) {
                world.effects = 0;
                int at = random.nextInt(6);
                boolean after = random.nextBoolean();
                world.killedBefore = after ? -1 : at;
                world.killedAfter = after ? at : -1;
                try {
                    world.command(arguments);
                } catch (Killed again) {
                    for (int pauses = random.nextInt(3); pauses > 0; pauses--) {
                        world.flink.pass();
                    }
                }
            }
            world.killedBefore = -1;
            world.killedAfter = -1;
            if (world.widenings.closed().isEmpty()) {
                world.command(arguments);
            }
            assertThat(outcome(world)).as("seed %d", seed).isEqualTo(expected(true));
        }
    }

    @Test
    void theJobIsRestoredAsItWasWhenTheStateHasTooLittleAfterTheStop() {
        for (int kill = 0; kill < 14; kill++) {
            World world = new World();
            world.killedAfter = kill;
            world.obstacles = List.of(EXPIRED);
            world.commandUntilItEnds(new Arguments(5, true));
            assertThat(outcome(world))
                    .containsExactly(
                            "lookback 2, finished, from nothing",
                            "lookback 2, running, from savepoint of first",
                            "DONE: 2026-09-15: 1 ledger row is state-expired, so not in the state");
        }
    }

    @Test
    void aRestoredJobThatFailsIsRestoredAgainFromTheSameSavepoint() {
        World world = new World();
        WideningSteps steps = new WideningSteps(NAME, world.ports(), List::of, null);
        Widening widening = upTo(Step.RESTORED, world, steps);
        world.flink.fail(Objects.requireNonNull(widening.wider().flinkJob()));
        Widening restored = widening;
        assertThatThrownBy(() -> steps.next(restored)).hasMessageContaining("has failed: out of luck");

        world.command(new Arguments(5, false));

        assertThat(outcome(world))
                .containsExactly(
                        "lookback 2, finished, from nothing",
                        "lookback 5, failed, from savepoint of first",
                        "lookback 5, running, from savepoint of first",
                        "widened 5",
                        "DONE: null");
    }

    @Test
    void aJobThatSomebodyElseHasStartedMeanwhileIsNotCompetedWith() {
        World world = new World();
        upTo(Step.STOPPED, world, new WideningSteps(NAME, world.ports(), List::of, null));
        world.flink.start("foreign", 2);
        assertThatThrownBy(() -> world.command(new Arguments(5, false)))
                .hasMessageContaining("somebody else has started the job meanwhile, as Flink job foreign");
    }

    @Test
    void aJobThatFailedBeforeItWasStoppedLeavesNothingOpen() {
        World world = new World();
        world.flink.fail("first");
        assertThatThrownBy(() -> world.command(new Arguments(5, false)))
                .hasMessageContaining("first has failed without a savepoint: out of luck");
        assertThat(world.widenings.open()).isNull();
    }

    @Test
    void aClusterThatForgotTheStoppedJobIsSaid() {
        World world = new World();
        world.killedAfter = 2;
        assertThatThrownBy(() -> world.command(new Arguments(5, false))).isInstanceOf(Killed.class);
        for (int i = 0; i < 3; i++) {
            world.flink.pass();
        }
        world.flink.forget();
        assertThatThrownBy(() -> world.command(new Arguments(5, false)))
                .hasMessageContaining("Flink does not know the job first any more");
        assertThat(world.widenings.open()).isNotNull();
    }
}
