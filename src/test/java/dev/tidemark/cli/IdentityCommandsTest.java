package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The job {@code daily-active-users} at the commands: a target without a key, and columns by the day. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class IdentityCommandsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;
    private static Result generated;
    private static Result run;

    @BeforeAll
    static void runJob() throws Exception {
        tidemark = new Tidemark(folder)
                .with("TIDEMARK_WAREHOUSE", POSTGRES.address())
                .with("WEB_EVENTS", folder.resolve("web").toString());
        generated = tidemark.runPlain(
                "generate",
                "web-analytics",
                "--days",
                "3",
                "--scale",
                "0.002",
                "--shape",
                "dense",
                "--redeliveries",
                "--out",
                folder.resolve("web").toString());
        // One publication, so that every row is as of the end.
        run = command("run", "--parallelism", "2", "--checkpoint-interval", "10m");
    }

    private static Result command(String name, String... more) {
        String[] all = new String[more.length + 3];
        all[0] = name;
        all[1] = "--job";
        all[2] = "jobs/daily-active-users.yaml";
        System.arraycopy(more, 0, all, 3, more.length);
        return tidemark.runPlain(all);
    }

    @Test
    @Order(1)
    void eventsAreGeneratedInAFileADay() throws Exception {
        assertThat(generated.status()).isZero();
        assertThat(generated.out()).contains("in 3 days from 2026-03-19 on").contains("of them across midnight");
        try (var files = Files.list(folder.resolve("web"))) {
            assertThat(files.map(file -> file.getFileName().toString())).contains("2026-03-19.avro", "_generated");
        }
    }

    @Test
    @Order(2)
    void theTargetHasARowADay() {
        assertThat(run.err()).doesNotContain("tidemark:");
        assertThat(run.status()).isZero();
        assertThat(command("target", "--partition", "2026-03-20").out().lines().toList())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("2026-03-20");
    }

    @Test
    @Order(3)
    void verifyComparesWhatADaySaysByItselfAndWhatItOwesToOthers() throws Exception {
        Result clean = command("verify");
        assertThat(clean.err()).doesNotContain("tidemark:");
        assertThat(clean.out())
                .contains("identities      as of the publications that wrote the rows: 3 equal, 0 different")
                .doesNotContain("not compared");
        assertThat(clean.status()).isZero();

        execute("update gold.daily_active_users set dau_raw = dau_raw + 1 where day = '2026-03-20'");
        Result wrong = command("verify");
        execute("update gold.daily_active_users set dau_raw = dau_raw - 1 where day = '2026-03-20'");
        assertThat(wrong.status()).isOne();
        assertThat(wrong.out()).contains("2026-03-20").contains("dau_raw");
        for (String column : new String[] {
            "dau_forward_only",
            "identified_events_forward_only",
            "dau_backward_fill",
            "identified_events_backward_fill",
            "dau_connected_components",
            "identified_events_connected_components"
        }) {
            String set = "update gold.daily_active_users set " + column + " = " + column;
            execute(set + " + 1 where day = '2026-03-20'");
            Result found = command("verify");
            execute(set + " - 1 where day = '2026-03-20'");
            assertThat(found.status()).as(column).isOne();
            assertThat(found.out())
                    .contains("2 equal, 1 different")
                    .contains("2026-03-20")
                    .contains(column);
        }
    }

    @Test
    @Order(4)
    void rebuildPutsADayRight() throws Exception {
        Result before = command("target", "--partition", "2026-03-19", "--format", "csv");
        execute("update gold.daily_active_users set dau_connected_components = 7, identified_events_forward_only = 8"
                + " where day = '2026-03-19'");

        Result rebuilt = command("rebuild", "--from", "2026-03-19", "--to", "2026-03-19", "--parallelism", "2");

        assertThat(rebuilt.err()).doesNotContain("tidemark:");
        assertThat(rebuilt.status()).isZero();
        assertThat(values(command("target", "--partition", "2026-03-19", "--format", "csv")))
                .isEqualTo(values(before));
    }

    /** The row without revision, pane and publication. */
    private static String values(Result target) {
        String row = target.out().lines().toList().get(1);
        return String.join(",", Arrays.asList(row.split(",")).subList(0, 10));
    }

    private static void execute(String sql) throws Exception {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    @Order(5)
    void storiesWithoutSessionsHaveNoShape() {
        Result refused = tidemark.runPlain(
                "generate",
                "ttc",
                "--shape",
                "dense",
                "--out",
                folder.resolve("no").toString());

        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err()).contains("--shape, --late-arrivals and --redeliveries are for web-analytics");
    }
}
