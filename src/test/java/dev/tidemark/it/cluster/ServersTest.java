package dev.tidemark.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.cluster.LocalCluster.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The scripts that start and stop servers. */
@Tag("cluster")
@Timeout(300)
class ServersTest {
    @RegisterExtension
    static final LocalCluster CLUSTER = LocalCluster.shared();

    @TempDir
    Path folder;

    @Test
    void startingTwiceIsHarmless() {
        for (List<String> start :
                List.of(List.of("cluster", "start"), List.of("kafka", "start"), List.of("postgres", "start"))) {
            String name = start.get(0);
            String before = LocalCluster.ok(CLUSTER.script(name, "status"));

            assertThat(LocalCluster.ok(CLUSTER.script(name, "start"))).isEqualTo(before);
            assertThat(before).contains("process").doesNotContain("does not run", "is gone");
        }
    }

    @Test
    void aStopEndsOnlyTheProcessThatWasStarted() throws Exception {
        Process stranger = new ProcessBuilder("sleep", "600").start();
        try {
            Map<String, String> elsewhere = Map.of("TIDEMARK_LOCAL", folder.toString());
            for (String pidFile : List.of("run/kafka.pid", "run/postgres.pid", "cluster/run/taskmanager-1.pid")) {
                Path file = folder.resolve(pidFile);
                Files.createDirectories(file.resolveSibling("."));
                // Its number has been given anew, to a process that was born at another time.
                Files.writeString(file, stranger.pid() + " 1\n");
            }

            assertThat(LocalCluster.ok(CLUSTER.script(elsewhere, "kafka", "stop")))
                    .isEqualTo("Kafka does not run\n");
            assertThat(LocalCluster.ok(CLUSTER.script(elsewhere, "postgres", "stop")))
                    .isEqualTo("PostgreSQL does not run\n");
            assertThat(LocalCluster.ok(CLUSTER.script(elsewhere, "cluster", "status")))
                    .contains("JobManager     does not run", "TaskManager 1  is gone");
            LocalCluster.ok(CLUSTER.script(elsewhere, "cluster", "stop"));

            assertThat(stranger.isAlive()).isTrue();
            assertThat(folder.resolve("run/kafka.pid")).doesNotExist();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void aPortThatIsTakenIsSaidWithTheVariableThatNamesAnother() {
        Map<String, String> elsewhere = Map.of("TIDEMARK_LOCAL", folder.toString());
        for (Map.Entry<String, String> server : Map.of(
                        "cluster", "TIDEMARK_FLINK_PORT",
                        "kafka", "TIDEMARK_KAFKA_PORT",
                        "postgres", "TIDEMARK_POSTGRES_PORT")
                .entrySet()) {
            Output refused = CLUSTER.script(elsewhere, server.getKey(), "start");

            assertThat(refused.status()).isEqualTo(3);
            assertThat(refused.err())
                    .contains(server.getKey() + ": port ", " is taken; name another with " + server.getValue());
        }
    }

    @Test
    void whatCannotBeStartedIsSaidWithItsLog() throws Exception {
        Files.createDirectories(folder.resolve("postgres"));
        Files.writeString(folder.resolve("postgres/PG_VERSION"), "9.1\n");
        Map<String, String> elsewhere =
                Map.of("TIDEMARK_LOCAL", folder.toString(), "TIDEMARK_POSTGRES_PORT", CLUSTER.freePortText());

        Output refused = CLUSTER.script(elsewhere, "postgres", "start");

        assertThat(refused.status()).isEqualTo(3);
        Path log = folder.resolve("log/postgres.log");
        assertThat(refused.err()).isEqualTo("postgres: PostgreSQL did not start; its log is " + log + "\n");
        assertThat(log).content().contains("postgres");
    }

    @Test
    void wrongWordsAreRefused() {
        for (List<String> wrong : List.of(
                List.of("cluster", "restart"),
                List.of("cluster", "start", "--taskmanagers", "many"),
                List.of("cluster", "taskmanager", "start"),
                List.of("cluster", "start", "-D", "novalue"),
                List.of("kafka", "begin"),
                List.of("postgres"))) {
            Output refused =
                    CLUSTER.script(wrong.get(0), wrong.subList(1, wrong.size()).toArray(String[]::new));

            assertThat(refused.status()).as(wrong.toString()).isEqualTo(2);
            assertThat(refused.err()).isNotEmpty();
        }
    }
}
