package dev.tidemark.recovery.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.FlinkServer;
import dev.tidemark.recovery.FlinkJobs;
import dev.tidemark.recovery.FlinkJobs.Phase;
import dev.tidemark.recovery.FlinkJobs.Stop;
import dev.tidemark.recovery.RecoveryException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A real Flink, spoken to by REST. */
@Timeout(300)
class RestFlinkJobsTest {
    private static final long PATIENCE_SECONDS = 120;

    @RegisterExtension
    static final FlinkServer FLINK = new FlinkServer();

    @RegisterExtension
    static final FlinkServer APPLICATION = FlinkServer.inApplicationMode();

    @TempDir
    Path folder;

    private final String name = "numbers " + UUID.randomUUID();
    private FlinkJobs jobs = new RestFlinkJobs(URI.create("http://localhost:1"));

    @BeforeEach
    void connect() throws Exception {
        jobs = new RestFlinkJobs(FLINK.address());
    }

    @Test
    void aClusterInApplicationModeIsKnown() throws Exception {
        assertThat(jobs.endsWithItsJob()).isFalse();
        assertThat(new RestFlinkJobs(APPLICATION.address()).endsWithItsJob()).isTrue();
    }

    private static String id() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    /** Gives a number, until one that is not to be had. */
    private record Numbers(long last) implements GeneratorFunction<Long, Long> {
        @Override
        public Long map(Long number) {
            if (number >= last) {
                throw new IllegalStateException("there is no number behind " + last);
            }
            return number;
        }
    }

    /** A job that does not end by itself unless it fails. */
    private String start(long last) throws Exception {
        StreamExecutionEnvironment environment = FLINK.environment(3);
        Configuration settings = new Configuration();
        settings.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(750));
        settings.set(CheckpointingOptions.CHECKPOINTING_TIMEOUT, Duration.ofMinutes(4));
        settings.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, Duration.ofMillis(20));
        settings.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 6);
        settings.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        settings.set(StateBackendOptions.STATE_BACKEND, "hashmap");
        environment.configure(settings);
        environment
                .fromSource(
                        new DataGeneratorSource<>(
                                new Numbers(last), Long.MAX_VALUE, RateLimiterStrategy.perSecond(50), Types.LONG),
                        WatermarkStrategy.noWatermarks(),
                        "numbers")
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>());
        return environment.executeAsync(name).getJobID().toString();
    }

    private String running() throws Exception {
        String started = start(Long.MAX_VALUE);
        awaitPhase(started, Phase.RUNNING);
        return started;
    }

    private void awaitPhase(String job, Phase phase) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (jobs.phase(job) != phase) {
            assertThat(System.nanoTime()).as("waiting for %s", phase).isLessThan(end);
            Thread.sleep(20);
        }
    }

    private Stop awaitStop(String job, String trigger) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (true) {
            Stop stop = jobs.stop(job, trigger);
            if (!(stop instanceof Stop.UnderWay)) {
                return stop;
            }
            assertThat(System.nanoTime()).as("waiting for the stop").isLessThan(end);
            Thread.sleep(20);
        }
    }

    /** Asks until the tasks run: before, Flink refuses a savepoint. */
    private String stopped(String job, String trigger, String into) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        String asked = trigger;
        while (true) {
            jobs.stop(job, asked, into);
            if (awaitStop(job, asked) instanceof Stop.Stopped stopped) {
                return stopped.savepoint();
            }
            assertThat(System.nanoTime()).as("waiting for the savepoint").isLessThan(end);
            asked = id();
        }
    }

    @Test
    void aJobIsFoundByItsNameWithWhatItRunsWith() throws Exception {
        assertThat(jobs.live(name)).isEmpty();
        String job = running();
        assertThat(jobs.live(name)).containsExactly(job);
        assertThat(jobs.live("numbers")).isEmpty();
        assertThat(jobs.settings(job)).isEqualTo(new FlinkJobs.Settings(3, 750, 240_000, 20, 6, true, "hashmap"));
        stopped(job, id(), folder.toUri().toString());
        awaitPhase(job, Phase.FINISHED);
        assertThat(jobs.live(name)).isEmpty();
    }

    @Test
    void aStopCanBeAskedForTwiceAndItsSavepointIsFoundBehindTheJobsEnd() throws Exception {
        String job = running();
        assertThat(jobs.savepoint(job)).isNull();
        String trigger = id();
        assertThat(jobs.stop(job, trigger)).isEqualTo(new Stop.Unknown());
        String savepoint = stopped(job, trigger, folder.toUri().toString());
        assertThat(Path.of(URI.create(savepoint)).resolve("_metadata")).exists();
        awaitPhase(job, Phase.FINISHED);

        jobs.stop(job, trigger, folder.toUri().toString());

        assertThat(jobs.savepoint(job)).isEqualTo(savepoint);
        try (var savepoints = Files.list(folder)) {
            assertThat(savepoints).hasSize(1);
        }
    }

    @Test
    void aStopThatFailsLeavesTheJobRunningAndSaysWhy() throws Exception {
        String job = running();
        Path file = Files.writeString(folder.resolve("file"), "no folder");
        String trigger = id();
        jobs.stop(job, trigger, file.resolve("below").toUri().toString());
        Stop stop = awaitStop(job, trigger);
        assertThat(stop).isInstanceOf(Stop.Failed.class);
        assertThat(((Stop.Failed) stop).cause()).isNotEqualTo("no reason given").doesNotContain("\n");
        assertThat(jobs.phase(job)).isEqualTo(Phase.RUNNING);
        stopped(job, id(), folder.toUri().toString());
    }

    @Test
    void aFailedJobSaysWhy() throws Exception {
        String job = start(3);
        awaitPhase(job, Phase.FAILED);
        assertThat(jobs.failure(job)).contains("there is no number behind 3").doesNotContain("\n");
        assertThat(jobs.savepoint(job)).isNull();
    }

    @Test
    void anUnknownJobIsSaidToBeUnknown() {
        assertThat(jobs.phase(id())).isNull();
        assertThat(jobs.stop(id(), id())).isEqualTo(new Stop.Unknown());
        assertThat(jobs.savepoint(id())).isNull();
    }

    @Test
    void aPlaceWithoutAFlinkIsSaid() {
        FlinkJobs nowhere = new RestFlinkJobs(URI.create("http://localhost:1"));
        assertThatThrownBy(() -> nowhere.phase(id()))
                .isInstanceOf(RecoveryException.class)
                .hasMessageContaining("no Flink answers at http://localhost:1");
    }

    @Test
    void theInnermostCauseOfATraceIsTold() {
        assertThat(RestFlinkJobs.cause("a.B: outer\n\tat x\nCaused by: c.D: inner\n\tat y\n"))
                .isEqualTo("c.D: inner");
        assertThat(RestFlinkJobs.cause("a.B: only\n\tat x")).isEqualTo("a.B: only");
        assertThat(RestFlinkJobs.cause("")).isEqualTo("no reason given");
    }
}
