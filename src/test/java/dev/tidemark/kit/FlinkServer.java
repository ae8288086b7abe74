package dev.tidemark.kit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A Flink in this JVM that is spoken to as one that runs elsewhere: at an address, by REST. What is submitted to it finds the
 * program's classes where the tests have theirs, so an empty jar does for the program.
 */
public final class FlinkServer implements BeforeAllCallback, AfterAllCallback {
    private static final int SLOTS = 8;

    private final Configuration more = new Configuration();
    private @Nullable MiniCluster cluster;
    private @Nullable Path folder;

    /** One that says of itself what a cluster in application mode says. */
    public static FlinkServer inApplicationMode() {
        FlinkServer server = new FlinkServer();
        server.more.set(DeploymentOptions.TARGET, "embedded");
        return server;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        Path created = Files.createTempDirectory("flink");
        folder = created;
        try (OutputStream out = Files.newOutputStream(jar());
                JarOutputStream jar = new JarOutputStream(out)) {
            jar.finish();
        }
        Configuration settings = new Configuration(more);
        settings.set(CheckpointingOptions.CHECKPOINT_STORAGE, "filesystem");
        settings.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                created.resolve("checkpoints").toUri().toString());
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        settings.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(64));
        MiniCluster started = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(settings)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(SLOTS)
                .withRandomPorts()
                .build());
        started.start();
        cluster = started;
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        if (folder != null) {
            delete(folder);
        }
    }

    /** Where it is spoken to. */
    public URI address() throws Exception {
        return Objects.requireNonNull(cluster).getRestAddress().get();
    }

    /** A folder for savepoints; it is not set to put them there by itself. */
    public String savepoints() {
        return Objects.requireNonNull(folder).resolve("savepoints").toUri().toString();
    }

    /** A jar without classes. */
    public Path jar() {
        return Objects.requireNonNull(folder).resolve("empty.jar");
    }

    /** An environment whose jobs are submitted to it. */
    public StreamExecutionEnvironment environment(int parallelism) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createRemoteEnvironment(
                address().getHost(), address().getPort(), jar().toString());
        environment.setParallelism(parallelism);
        return environment;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst) {
                Files.deleteIfExists(each);
            }
        }
    }
}
