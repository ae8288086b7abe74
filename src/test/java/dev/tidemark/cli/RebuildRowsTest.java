package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.core.execution.DefaultExecutorServiceLoader;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code rebuild} from rows of a database, at its real entry point. */
@Timeout(300)
final class RebuildRowsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final String TARGET =
            "select day, shop, sales, amount, _revision, _pane from shop.sales_by_day order by 1, 2";
    private static final String NUMBERS =
            "select rows_scanned, rows_written, rows_removed, incorporated, positions is null from tidemark.rebuilds";
    private static final List<String> STREAMED = List.of(
            "2024-03-10 x 1 5 1 ON_TIME",
            "2024-03-10 y 1 7 1 ON_TIME",
            "2024-03-12 x 1 7 1 EARLY",
            "2024-03-12 y 1 9 1 EARLY");
    private static final List<String> RECOMPUTED =
            List.of("2024-03-10 x 2 9 2 REBUILT", "2024-03-12 x 1 7 1 EARLY", "2024-03-12 y 1 9 1 EARLY");

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void beginAnew() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        execute("drop schema if exists tidemark, tidemark_staging, shop, archive cascade");
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 7, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "x", "amount": 4, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                {"id": "b", "shop": "y", "amount": 9, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:03:00Z"}
                """);
        execute("create schema archive");
        execute("create table archive.sales (file text, line int, id text, shop text, amount int, note text,"
                + " at timestamptz, seen timestamptz)");
    }

    private void history(String words) throws IOException {
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB + "history: { " + words.replace("URL", "url: \"" + POSTGRES.address() + "\"") + " }\n");
    }

    /** The file's changes, where each stood. */
    private static void keepChanges() throws SQLException {
        execute("""
                insert into archive.sales values
                ('1.jsonl', 0, 'a', 'x', 5, null, '2024-03-10 10:00Z', '2024-03-10 10:01Z'),
                ('1.jsonl', 1, 'b', 'y', 7, null, '2024-03-10 11:00Z', '2024-03-10 11:01Z'),
                ('1.jsonl', 2, 'c', 'x', 7, null, '2024-03-12 10:00Z', '2024-03-12 10:01Z'),
                ('1.jsonl', 3, 'd', 'x', 4, null, '2024-03-10 10:00Z', '2024-03-12 10:02Z'),
                ('1.jsonl', 4, 'b', 'y', 9, null, '2024-03-12 11:00Z', '2024-03-12 11:03Z')""");
    }

    @Test
    void ofATableOnlyThePartitionsAreAskedFor() throws Exception {
        history("kind: table, jdbc: { URL, table: archive.sales, splitBy: seen, splits: 3 }");
        keepChanges();
        execute("delete from archive.sales where id = 'b' and amount = 7");
        run("run", "--parallelism", "1");
        assertThat(rows(TARGET)).isEqualTo(STREAMED);

        Result trial = run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10", "--dry-run");
        assertThat(trial.out()).contains("would write 1 (0 new), would remove 1\n");
        assertThat(rows(TARGET)).isEqualTo(STREAMED);
        Result done = run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");

        assertThat(done.out())
                .contains("history         table archive.sales, to its end\n")
                .contains("records read    2, ");
        assertThat(rows(TARGET)).isEqualTo(RECOMPUTED);
        assertThat(rows(NUMBERS)).containsExactly("2 1 1 2 t");
        assertThat(rows("select split, \"offset\", half, status, resolved_by from tidemark.late_ledger order by 1, 2"))
                .containsExactly("1.jsonl 3 whole incorporated 2", "1.jsonl 4 old incorporated 2");
        run("rebuild", "--all");
        assertThat(rows(TARGET)).as("all of the table says the same").isEqualTo(RECOMPUTED);
        leavesNothing();
    }

    @Test
    void changesWithPositionsAreTakenUpToWhatIsPublished() throws Exception {
        history("kind: changes, jdbc: { URL, table: archive.sales, splitBy: line,"
                + " position: { split: file, offset: line } }");
        keepChanges();
        execute("insert into archive.sales values"
                + " ('1.jsonl', 5, 'a', 'x', 100, null, '2024-03-10 10:00Z', '2024-03-12 12:00Z'),"
                + " ('2.jsonl', 0, 'n', 'x', 100, null, '2024-03-10 10:00Z', '2024-03-12 12:00Z')");
        run("run", "--parallelism", "1");

        Result done = run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");

        assertThat(done.out()).contains("table archive.sales, as of publication 1\n");
        assertThat(rows(TARGET))
                .as("what the stream has not published stays the stream's")
                .isEqualTo(RECOMPUTED);
        assertThat(rows("select rows_written, rows_removed, incorporated, positions -> '' ->> 'offset'"
                        + " from tidemark.rebuilds"))
                .containsExactly("1 1 2 5");
        assertThat(rows("select status, resolved_by from tidemark.late_ledger")).containsOnly("incorporated 2");
        leavesNothing();
    }

    @Test
    void changesWithoutPositionsAreReadToTheirEnd() throws Exception {
        history("kind: changes, jdbc: { URL, query: \"select * from archive.sales where shop <> 'none'\" }");
        keepChanges();
        run("run", "--parallelism", "1");

        Result done = run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");

        assertThat(done.out()).contains(", to its end\n").contains("records read    5, ");
        assertThat(rows(TARGET))
                .as("b has left the tenth by a row of the twelfth, which had to be read too")
                .isEqualTo(RECOMPUTED);
        assertThat(rows(NUMBERS)).containsExactly("5 1 1 2 t");
        leavesNothing();
    }

    @Test
    void rowsThatDoNotHoldWhatTheJobReadsChangeNothing() throws Exception {
        history("kind: table, jdbc: { URL, table: archive.sales }");
        run("run", "--parallelism", "1");
        execute("alter table archive.sales drop column amount");

        Result failed = tidemark.run("rebuild", "--all");

        assertThat(failed.status()).isEqualTo(3);
        assertThat(failed.err()).contains("there is no column amount (integer)");
        assertThat(rows(TARGET)).isEqualTo(STREAMED);
        assertThat(rows("select publication, error like '%no column amount%' from tidemark.rebuilds"))
                .containsExactly("null t");
        leavesNothing();
    }

    @Test
    void aCommandThatDoesNotStayCannotHoldTheSnapshot() throws Exception {
        history("kind: table, jdbc: { URL, table: archive.sales }");

        Result refused = detached("rebuild", "--job", tidemark.path("sales.yaml"), "--all");

        assertThat(refused.err())
                .isEqualTo("tidemark: the history (table archive.sales) is rows of a database, read in a snapshot that"
                        + " this command holds open until all of them are read: run it without -d, so that it stays"
                        + System.lineSeparator());
        assertThat(refused.status()).isEqualTo(2);
        assertThat(rows("select to_regclass('tidemark.jobs')"))
                .as("nothing is begun")
                .containsExactly("null");
        tidemark.write("sales.yaml", Tidemark.JOB);
        assertThat(detached("rebuild", "--job", tidemark.path("sales.yaml"), "--all", "--dry-run")
                        .err())
                .isEqualTo("tidemark: --dry-run says what would change: run it without -d" + System.lineSeparator());
        assertThat(rows("select to_regclass('tidemark.jobs')")).containsExactly("null");
    }

    /** As {@code flink run -d} does it. */
    private Result detached(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(folder.toString(), POSTGRES.address()));
        all.addAll(Arrays.asList(arguments));
        Configuration configuration = new Configuration();
        configuration.set(DeploymentOptions.TARGET, "local");
        configuration.set(DeploymentOptions.ATTACHED, false);
        try (PackagedProgram program = PackagedProgram.newBuilder()
                .setEntryPointClassName(Program.class.getName())
                .setArguments(all.toArray(String[]::new))
                .build()) {
            ClientUtils.executeProgram(new DefaultExecutorServiceLoader(), configuration, program, false, false);
        }
        return new Result(
                Integer.parseInt(Files.readString(folder.resolve("status.txt"))),
                Files.readString(folder.resolve("out.txt")),
                Files.readString(folder.resolve("err.txt")));
    }

    /** The program for Flink's client, which leaves what came of it in a folder. */
    public static final class Program {
        private Program() {}

        /** Runs the command that follows the folder and the warehouse. */
        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            try (PrintWriter out = new PrintWriter(
                            Files.newBufferedWriter(folder.resolve("out.txt"), StandardCharsets.UTF_8));
                    PrintWriter err = new PrintWriter(
                            Files.newBufferedWriter(folder.resolve("err.txt"), StandardCharsets.UTF_8))) {
                int status = new CommandLineInterface(
                                out,
                                err,
                                Map.of(
                                        "TIDEMARK_WAREHOUSE",
                                        arguments[1],
                                        "TIDEMARK_LOCAL",
                                        folder.resolve("local").toString()))
                        .run(Arrays.copyOfRange(arguments, 2, arguments.length));
                Files.writeString(folder.resolve("status.txt"), Integer.toString(status));
            }
        }
    }

    private Result run(String command, String... arguments) {
        Result result = tidemark.run(command, arguments);
        assertThat(result.status()).as(result.err()).isZero();
        return result;
    }

    private static void leavesNothing() throws SQLException {
        assertThat(rows("select count(*) from tidemark.staged_parts")).containsExactly("0");
        assertThat(rows("select count(*) from tidemark_staging.sales")).containsExactly("0");
        assertThat(rows("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and state like 'idle in transaction%'"))
                .as("a snapshot that is held")
                .containsExactly("0");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> rows(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set datestyle = 'ISO'");
            List<String> rows = new ArrayList<>();
            try (ResultSet row = statement.executeQuery(sql)) {
                int columns = row.getMetaData().getColumnCount();
                while (row.next()) {
                    List<String> values = new ArrayList<>();
                    for (int i = 1; i <= columns; i++) {
                        values.add(String.valueOf(row.getString(i)));
                    }
                    rows.add(String.join(" ", values));
                }
            }
            return rows;
        }
    }
}
