package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a run that begins from state takes, and what it refuses before anything is touched. */
final class RestoreCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final String FIRST = """
            {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
            {"id": "b", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
            """;
    private static final String LATER = """
            {"id": "c", "shop": "y", "amount": 1, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:01:00Z"}
            """;

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void createJob() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", FIRST);
    }

    // ---------------------------------------------------------------------------------------------------- refusals

    @ParameterizedTest(name = "{0} in the place of {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "zone: UTC            | zone: Europe/Berlin   | partition.zone: \"UTC\" is now \"Europe/Berlin\"",
                "grain: day           | grain: week           | partition.grain: \"day\" is now \"week\"",
                "key: shop            | key: id               | target.key.id: nothing is now {\"name\":\"id\",\"type\":\"text\"}",
                "id: id, version      | id: shop, version     | changes.id.id: {\"name\":\"id\",\"type\":\"text\"} is now nothing",
                "mode: upsert, id: id, version: seen | mode: append | changes.mode: \"upsert\" is now \"append\"",
                "frontier: observed   | frontier: event       | time.frontier: \"observed\" is now \"event\"",
                "amount: { sum: amount } | amount: { max: amount } | target.columns.amount.function: \"sum\" is now \"max\"",
                "note:   { latest: note } | first: { first: note } | target.columns.first: nothing is now {",
            })
    void aDefinitionThatTheStateCannotFollowIsRefusedOnANewWarehouseToo(String before, String now, String said)
            throws Exception {
        String savepoint = savepoint();
        execute("drop schema tidemark, tidemark_staging, shop cascade");
        String job = Tidemark.JOB;
        assertThat(job).contains(before);
        tidemark.write("sales.yaml", job.replace(before, now));

        Result result = tidemark.run("run", "--parallelism", "1", "--restore", savepoint);

        assertThat(result.err())
                .startsWith("tidemark: " + shown(savepoint)
                        + ": the state was written by another definition of the job sales (")
                .contains(said)
                .endsWith(
                        "), and cannot be gone on with; take the change back, or give the job and its target other names and"
                                + " start it without state\n")
                .hasLineCount(1);
        assertThat(result.status()).isEqualTo(3);
        assertThat(schemas()).isEmpty();
    }

    @Test
    void aUsedFieldOfAnotherTypeIsRefused() throws Exception {
        String savepoint = savepoint();
        tidemark.write("sale.avsc", Tidemark.SCHEMA.replace("[\"null\", \"int\"]", "[\"null\", \"long\"]"));

        Result result = tidemark.run("run", "--parallelism", "1", "--restore", savepoint);

        assertThat(result.err())
                .contains("target.columns.amount.field.type: \"integer\" is now \"bigint\"")
                .hasLineCount(1);
        assertThat(result.status()).isEqualTo(3);
    }

    @Test
    void aSavepointOfAnotherJobIsRefused() throws Exception {
        String savepoint = savepoint();
        tidemark.write(
                "sales.yaml", Tidemark.JOB.replace("job: sales", "job: others").replace("sales_by_day", "others"));

        Result result = tidemark.run("run", "--restore", savepoint);

        assertThat(result.err())
                .isEqualTo("tidemark: " + shown(savepoint)
                        + ": the state is of the job sales, not of others: restore it with the file of the job sales,"
                        + " or start others from its own savepoint or without state\n");
        assertThat(result.status()).isEqualTo(3);
        assertThat(one("select string_agg(job, ',') from tidemark.jobs")).isEqualTo("sales");
    }

    @Test
    void aPathWithoutStateIsRefusedBeforeAnythingIsCreated() throws Exception {
        for (String path : new String[] {"nowhere", "data", "sales.yaml"}) {
            Result result = tidemark.run("run", "--restore", tidemark.path(path));

            assertThat(result.err())
                    .startsWith("tidemark: no state can be restored from DIR/" + path + ": ")
                    .endsWith("; name the folder of a savepoint or of a retained checkpoint (chk-...) of the job in"
                            + " DIR/sales.yaml\n")
                    .hasLineCount(1);
            assertThat(result.status()).isEqualTo(3);
            assertThat(schemas()).isEmpty();
        }
    }

    // ------------------------------------------------------------------------------------------- what can be followed

    @ParameterizedTest(name = "{1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "lookback: 1  | lookback: 2",
                "lookback: 1  | lookback: 0",
                "lookback: 1  | lookback: 1, retain: 9",
                "lookback: 1  | lookback: { partitions: 1, because: evidence }",
                "key: shop    | revisions: true",
                "files:       | idleTimeout: 7s, files:",
                "observed: seen, | observed: seen, maxAdvance: 9, maxFutureSkew: 9m,",
            })
    void whatActsOnLaterChangesOnlyCanBeRestored(String before, String now) throws Exception {
        String savepoint = savepoint();
        String job = Tidemark.JOB;
        assertThat(job).contains(before);
        String changed = now.startsWith("revisions")
                ? job.replace("  key: shop", "  revisions: true\n  key: shop")
                : job.replace(before, now);
        tidemark.write("sales.yaml", changed);
        tidemark.write("data/2.jsonl", LATER);

        restored(savepoint);

        assertThat(one("select amount from shop.sales_by_day where shop = 'y'")).isEqualTo("1");
    }

    @Test
    void filesThatHaveMovedCanBeRestored() throws Exception {
        String savepoint = savepoint();
        Files.move(folder.resolve("data"), folder.resolve("elsewhere"));
        tidemark.write("sales.yaml", Tidemark.JOB.replace("path: data", "path: elsewhere"));
        tidemark.write("elsewhere/2.jsonl", LATER);

        restored(savepoint);

        assertThat(one("select amount from shop.sales_by_day where shop = 'y'")).isEqualTo("1");
    }

    // ------------------------------------------------------------------------------------------------------ lookback

    @Test
    void aLookbackGivenForTheRunIsRecordedAsAHypothesis() throws Exception {
        assertThat(tidemark.run("run", "--parallelism", "1", "--lookback", "2").status())
                .isZero();

        assertThat(one("select lookback || ' ' || retain from tidemark.jobs")).isEqualTo("2 2");
        assertThat(tidemark.run("status").out()).contains("""
                        lookback        2 days, a hypothesis: given by --lookback
                                        the job file says 1; it holds from the next run on
                        retain          2 days in UTC
                        """);
    }

    @Test
    void aRestoreThatWouldWidenBeyondTheStateIsRefusedBeforeAnythingStarts() throws Exception {
        String savepoint = savepoint();
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: 1, retain: 9"));

        Result result = tidemark.run("run", "--restore", savepoint, "--lookback", "4");

        assertThat(result.err())
                .contains("the state cannot answer for all that a lookback of 4 opens again:\n")
                .contains("  2024-03-06: the state has forgotten it\n", "  2024-03-07: the state has forgotten it\n")
                .doesNotContain("2024-03-08", "2024-03-09")
                .endsWith("rebuild these partitions instead, or restore with a smaller lookback\n");
        assertThat(result.status()).isEqualTo(3);
        assertThat(one("select epoch || ' ' || lookback from tidemark.jobs")).isEqualTo("1 1");
    }

    @Test
    void aLookbackBeyondWhatIsRememberedIsWrongUse() throws SQLException {
        Result result = tidemark.run("run", "--lookback", "3");

        assertThat(result.err())
                .isEqualTo(
                        "tidemark: --lookback 3 is more than the 2 partitions that the job remembers; set partition.retain in"
                                + " DIR/sales.yaml to at least 3 (what its state has forgotten stays so: for that, rebuild)\n");
        assertThat(result.status()).isEqualTo(2);
        assertThat(schemas()).isEmpty();
        assertThat(tidemark.run("run", "--lookback", "-1").status()).isEqualTo(2);
    }

    // -------------------------------------------------------------------------------------------------------- resets

    @Test
    void aFrontierThatAWildClockMovedIsSetBackOnceAndRecorded() throws Exception {
        tidemark.write("data/2.jsonl", """
                {"id": "w1", "shop": "w", "amount": 1, "at": "2024-03-12T10:00:00Z", "seen": "2031-01-01T00:00:00Z"}
                {"id": "w2", "shop": "w", "amount": 1, "at": "2024-03-12T10:00:00Z", "seen": "2031-01-01T00:00:01Z"}
                """);
        String savepoint = Savepoints.behind(4, Path.of(tidemark.path("sales.yaml")), POSTGRES);
        assertThat(one("select frontier_least from tidemark.publications order by publication desc limit 1"))
                .startsWith("2031-01-01");
        tidemark.write("data/3.jsonl", LATER);

        restored(savepoint, "--reset-frontier", "files=2024-03-12T10:01:00Z");

        assertThat(one("select log || '=' || frontier at time zone 'UTC' from tidemark.frontier_resets"))
                .isEqualTo("=2024-03-12 10:01:00");
        assertThat(one("select frontier_least at time zone 'UTC' || ' ' || closed_before from tidemark.publications"
                        + " order by publication desc limit 1"))
                .as("the frontier follows the records again, and what was closed stays closed")
                .isEqualTo("2024-03-12 11:01:00 2030-12-31");
        assertThat(one("select reason from tidemark.late_ledger where record_id = 'c'"))
                .isEqualTo("state-expired");
        assertThat(one("select complete_from from tidemark.publications order by publication desc limit 1"))
                .isEqualTo("2031-01-01");
    }

    @Test
    void resetsThatCannotBeAreRefused() throws Exception {
        String savepoint = savepoint();
        execute("drop schema tidemark, tidemark_staging, shop cascade");

        assertThat(reset(savepoint, "files=yesterday"))
                .isEqualTo("tidemark: --reset-frontier: 'yesterday' is no instant; write for instance"
                        + " 2026-08-01T12:00:00Z\n2");
        assertThat(reset(savepoint, "2024-03-12T10:01:00Z"))
                .isEqualTo("tidemark: --reset-frontier: '2024-03-12T10:01:00Z' is no LOG=INSTANT; write for instance"
                        + " files=2026-08-01T12:00:00Z\n2");
        assertThat(reset(savepoint, "orders-0=2024-03-09T10:01:00Z"))
                .endsWith(
                        "the frontier of the log orders-0 cannot be reset, because the state holds no such log; its logs"
                                + " are: files\n3");
        assertThat(reset(savepoint, "files=2024-03-13T10:01:00Z"))
                .endsWith("the frontier of the log files stands at 2024-03-10T10:01:00Z, and a reset sets it back:"
                        + " 2024-03-13T10:01:00Z is not before that; records alone move a frontier on\n3");
        Result without = tidemark.run("run", "--reset-frontier", "files=2024-03-09T10:01:00Z");
        assertThat(without.err())
                .isEqualTo(
                        "tidemark: --reset-frontier sets a frontier back in the state that is restored: name a savepoint"
                                + " or checkpoint with --restore\n");
        assertThat(without.status()).isEqualTo(2);
        Result both = tidemark.run(
                "run", "--restore", savepoint, "--lookback", "2", "--reset-frontier", "files=2024-03-09T10:01:00Z");
        assertThat(both.err())
                .isEqualTo(
                        "tidemark: a larger lookback (2, the state has 1) and --reset-frontier cannot be given in one"
                                + " run: reset the frontier first, and widen once that is published\n");
        assertThat(both.status()).isEqualTo(2);
        assertThat(schemas()).isEmpty();
    }

    private String reset(String savepoint, String reset) {
        Result result = tidemark.run("run", "--restore", savepoint, "--reset-frontier", reset);
        return result.err() + result.status();
    }

    // ----------------------------------------------------------------------------------------------------- machinery

    private String savepoint() throws Exception {
        return Savepoints.behind(2, Path.of(tidemark.path("sales.yaml")), POSTGRES);
    }

    private Result restored(String savepoint, String... more) {
        Result result = tidemark.run(
                "run",
                Stream.concat(Stream.of("--parallelism", "1", "--restore", savepoint), Stream.of(more))
                        .toArray(String[]::new));
        assertThat(result.err()).hasLineCount(1);
        assertThat(result.status()).isZero();
        return result;
    }

    private String shown(String path) {
        return path.replace(folder.toString(), "DIR");
    }

    private static String schemas() throws SQLException {
        String names = one("select string_agg(nspname, ',') from pg_namespace where nspname ~ '^(tidemark|shop)'");
        return names == null ? "" : names;
    }

    private static String one(String query) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : "nothing";
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
