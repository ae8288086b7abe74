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

/** What run and init say, and that a mistake leaves nothing behind. */
final class RunMessagesTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void createJob() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
    }

    @Test
    void aRunTellsItsCountsAndThenThatThereIsNothingNew() throws IOException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "a", "shop": "x", "amount": 6, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                what?
                """);

        Result first = tidemark.run("run", "--parallelism", "1");
        Result second = tidemark.run("run", "--parallelism", "1");

        assertThat(withoutTime(first)).isEqualTo("""
                records read    5
                  applied       2
                  superseded    0
                  late          1   see: tidemark ledger
                  split         1   half of each is late, see: tidemark ledger
                  rejected      1   see: tidemark rejected
                cells           2 written, 0 removed
                publications    1   the last is number 1
                frontier        2024-03-12T10:02:00Z
                complete from   2024-03-11   equal to a full recomputation from here on
                closed before   2024-03-11   the stream no longer changes what is earlier
                target          shop.sales_by_day, by day in UTC
                took            TIME
                """);
        assertThat(first.status()).isEqualTo(0);
        assertThat(first.err())
                .startsWith("warehouse: postgres at postgresql://localhost:")
                .hasLineCount(1);
        assertThat(withoutTime(second)).isEqualTo("""
                nothing new     all that is in the source was published before, the last with publication 1
                frontier        2024-03-12T10:02:00Z
                complete from   2024-03-11   equal to a full recomputation from here on
                closed before   2024-03-11   the stream no longer changes what is earlier
                target          shop.sales_by_day, by day in UTC
                took            TIME
                """);
    }

    @Test
    void aRunOverAnEmptyFolderSaysSo() {
        assertThat(withoutTime(tidemark.run("run", "--parallelism", "1"))).isEqualTo("""
                nothing read    there is no record in DIR/data
                frontier        none yet
                complete from   none yet
                closed before   none yet
                target          shop.sales_by_day, by day in UTC
                took            TIME
                """);
    }

    @Test
    void aMissingSourceIsFoundBeforeAnythingIsCreated() throws IOException, SQLException {
        tidemark.write("sales.yaml", Tidemark.JOB.replace("path: data", "path: nowhere"));

        assertRefused(
                tidemark.run("run"),
                3,
                "tidemark: the source DIR/nowhere does not exist: correct source.files.path in DIR/sales.yaml, or create it\n");
        assertThat(schemas()).isEmpty();
    }

    @Test
    void aFileThatCannotBeReachedStopsTheRunInsteadOfBeingLeftOut() throws IOException, SQLException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                """);
        Files.createSymbolicLink(folder.resolve("data/2.jsonl"), folder.resolve("nowhere"));

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.err()).contains("data/2.jsonl is listed but cannot be reached. If it is a link to nothing");
        assertThat(result.status()).isEqualTo(3);
        assertThat(one("select count(*) from tidemark.publications")).isEqualTo("0");
    }

    @Test
    void aShorterLookbackUndoesNothingThatIsPublished() throws IOException, SQLException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "a", "shop": "x", "amount": 6, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                """);
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: 2"));
        tidemark.run("run", "--parallelism", "1");
        tidemark.write("sales.yaml", Tidemark.JOB);

        Result shorter = tidemark.run("run", "--parallelism", "1");

        assertThat(shorter.out()).startsWith("nothing new");
        assertThat(one("select amount from shop.sales_by_day where day = '2024-03-10'"))
                .isEqualTo("6");
    }

    @Test
    void spacesInPathsAreOrdinary() throws IOException {
        tidemark.with("TIDEMARK_LOCAL", tidemark.path("my 100% local"));
        tidemark.write("sales.yaml", Tidemark.JOB.replace("path: data", "path: my data"));
        tidemark.write("my data/1 of 1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.out()).startsWith("records read    1\n");
        assertThat(folder.resolve("my 100% local/checkpoints/sales")).isDirectory();
        try (Stream<Path> entries = Files.list(folder)) {
            assertThat(entries.map(entry -> entry.getFileName().toString()))
                    .filteredOn(name -> name.contains("local"))
                    .containsExactly("my 100% local");
        }
    }

    @Test
    void aMissingJobFileIsWrongUse() {
        assertRefused(
                tidemark.runPlain("run", "--job", tidemark.path("none.yaml")),
                2,
                "tidemark: there is no job file DIR/none.yaml\n");
    }

    @Test
    void aJobFileThatIsNoYamlIsToldWithItsLine() throws IOException, SQLException {
        tidemark.write("sales.yaml", "formatVersion: 1\njob: [sales\n");

        Result result = tidemark.run("init");

        assertThat(result.err())
                .startsWith("DIR/sales.yaml:")
                .contains("is not YAML")
                .hasLineCount(1);
        assertThat(result.status()).isEqualTo(2);
        assertThat(schemas()).isEmpty();
    }

    @Test
    void aMissingSchemaFileIsAProblemOfTheJobFile() throws IOException {
        Files.delete(folder.resolve("sale.avsc"));

        assertRefused(tidemark.run("run"), 2, "DIR/sales.yaml:3: source.schema: 'sale.avsc' does not exist\n");
    }

    @Test
    void aDatabaseThatIsAwayIsToldAtOnce() {
        Result result = tidemark.run("run", "--warehouse", "postgresql://me:secret@localhost:1/db");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo("""
                        warehouse: me at postgresql://localhost:1/db
                        tidemark: could not connect to the warehouse me at postgresql://localhost:1/db: Connection to localhost:1\
                         refused. Check that the hostname and port are correct and that the postmaster is accepting TCP/IP\
                         connections. (SQLSTATE 08001); check that the server runs and can be reached
                        """);
    }

    @Test
    void aHostThatDoesNotExistIsNamed() {
        Result result = tidemark.run("init", "--warehouse", "postgresql://nowhere.invalid/db");

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err()).contains("Unknown host nowhere.invalid").hasLineCount(2);
    }

    @Test
    void aStrangerIsToldWhereUserAndPasswordComeFrom() {
        Result result = tidemark.run("init", "--warehouse", POSTGRES.address("stranger:secret"));

        assertThat(result.status()).isEqualTo(3);
        assertThat(result.err())
                .contains(
                        "FATAL: role \"stranger\" does not exist (SQLSTATE 28000); check user and password: they are taken from the"
                                + " address, then from TIDEMARK_WAREHOUSE_USER and TIDEMARK_WAREHOUSE_PASSWORD")
                .doesNotContain("secret")
                .hasLineCount(2);
    }

    @Test
    void anAddressThatIsNoneOfPostgresqlIsWrongUse() {
        assertRefused(
                tidemark.run("run", "--warehouse", "mysql://localhost/db"),
                2,
                "tidemark: --warehouse: the address of the warehouse must begin with jdbc:postgresql:// or postgresql://,"
                        + " for instance postgresql://host:5432/database\n");
    }

    @Test
    void aTargetThatDoesNotFitIsToldWithAllDifferencesAndLeftAlone() throws SQLException {
        execute("create schema shop");
        execute("create table shop.sales_by_day (day date, shop text, sales text, primary key (day, shop))");

        Result result = tidemark.run("run");

        assertThat(result.status()).isEqualTo(3);
        assertThat(afterFirstLine(result.err())).isEqualTo("""
                tidemark: the table shop.sales_by_day is there, but is not what the job sales writes:
                  column sales is text, must be bigint
                  column amount bigint is missing
                  column note text is missing
                  column _revision integer is missing
                  column _members bigint is missing
                  column _fingerprint bigint is missing
                  column _pane text is missing
                  column _publication bigint is missing
                  column _published_at timestamp with time zone is missing
                alter it, name another target, or drop it so that `init` creates it
                """);
        assertThat(one("select count(*) from tidemark.jobs")).isEqualTo("0");
    }

    @Test
    void aSecondJobOnATargetIsRefused() throws IOException, SQLException {
        tidemark.run("init");
        tidemark.write("sales.yaml", Tidemark.JOB.replace("job: sales", "job: others"));

        Result result = tidemark.run("run");

        assertThat(result.status()).isEqualTo(3);
        assertThat(afterFirstLine(result.err()))
                .isEqualTo(
                        "tidemark: the target shop.sales_by_day belongs to the job sales; one job owns a target: name"
                                + " another, or `retire` that job\n");
        assertThat(one("select string_agg(job, ',') from tidemark.jobs")).isEqualTo("sales");
    }

    @Test
    void aTargetWithRowsOfSomebodyElsesIsRefused() throws SQLException {
        tidemark.run("init");
        execute("insert into shop.sales_by_day values ('2024-03-09', 'north', 1, 1, null, 1, 1, 0, 'EARLY', 1, now())");

        Result result = tidemark.run("run");

        assertThat(result.status()).isEqualTo(3);
        assertThat(afterFirstLine(result.err()))
                .isEqualTo(
                        "tidemark: the table shop.sales_by_day holds rows that the job sales has not written, and they"
                                + " would pass for its results; empty the table, or name another target\n");
    }

    @Test
    void aJobThatMeansSomethingElseThanWhatItHasPublishedIsRefused() throws IOException {
        tidemark.write(
                "data/1.jsonl",
                "{\"id\": \"1\", \"shop\": \"north\", \"amount\": 5, \"note\": null, \"at\": \"2024-03-09T10:00:00Z\","
                        + " \"seen\": \"2024-03-09T10:00:01Z\"}\n");
        assertThat(tidemark.run("run").status()).isZero();
        tidemark.write("sales.yaml", Tidemark.JOB.replace("zone: UTC", "zone: Europe/Berlin"));

        Result result = tidemark.run("run");

        assertThat(result.status()).isEqualTo(3);
        assertThat(afterFirstLine(result.err()))
                .isEqualTo(
                        "tidemark: the job sales has published with another definition (partition.zone: \"UTC\" is now"
                                + " \"Europe/Berlin\"), and what is published cannot be gone on with; take the change back, or give"
                                + " the job and its target other names so that it starts anew\n");
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: 2"));
        assertThat(tidemark.run("run").status()).isZero();
    }

    @Test
    void withoutInitTheTargetMustBeThere() {
        Result result = tidemark.run("run", "--no-init");

        assertThat(result.status()).isEqualTo(3);
        assertThat(afterFirstLine(result.err()))
                .isEqualTo(
                        "tidemark: the warehouse does not know the job sales: run `tidemark init` first, or leave out"
                                + " --no-init\n");
    }

    @Test
    void unknownWordsAreToldWithWhatIsKnown() {
        assertRefused(tidemark.runPlain("rnu"), 2, """
                tidemark: unknown command 'rnu'; commands: validate, init, run, rebuild, backfill, widen, status, ledger, late, rejected, lateness, missing, reconcile, verify, target, retire, prune, generate
                See 'tidemark --help'.
                """);
        Result option = tidemark.run("init", "--forse");
        assertThat(option.err())
                .startsWith("tidemark: unknown option '--forse'; options: ")
                .contains("--warehouse");
        assertThat(option.status()).isEqualTo(2);
        assertRefused(tidemark.runPlain("init"), 2, """
                tidemark: Missing required option: '--job=FILE'
                See 'tidemark init --help'.
                """);
    }

    private static void assertRefused(Result result, int status, String message) {
        assertThat(result.err()).isEqualTo(message);
        assertThat(result.out()).isEmpty();
        assertThat(result.status()).isEqualTo(status);
    }

    private static String withoutTime(Result result) {
        return result.out().replaceAll("\\d+\\.\\d s", "TIME") + (result.status() == 0 ? "" : result.err());
    }

    private static String afterFirstLine(String text) {
        return text.substring(text.indexOf('\n') + 1);
    }

    private static String schemas() throws SQLException {
        String names = one("select string_agg(nspname, ',') from pg_namespace where nspname ~ '^(tidemark|shop)'");
        return names == null ? "" : names;
    }

    private static String one(String query) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
