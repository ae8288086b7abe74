package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a job beforehand, how it is given up, and how its bookkeeping is kept small. */
final class UpkeepCommandsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void createJob() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "x", "amount": 7, "at": "2024-03-01T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                what?
                """);
    }

    // ---------------------------------------------------------------------------------------------------- validate

    @Test
    void beforeTheFirstRunValidateSaysThatNothingIsThere() throws SQLException {
        Result result = tidemark.run("validate", "--warehouse");

        assertThat(compared(result)).isEqualTo("""
                last run        none: the warehouse does not know the job
                target          shop.sales_by_day is not there yet: `init` or `run` creates it
                so              it can start
                """);
        assertThat(result.status()).isZero();
        assertThat(one("select to_regclass('tidemark.jobs')")).isNull();
    }

    @Test
    void validateSaysWhatHasChangedAndThatTheStateCanFollow() throws Exception {
        run();

        assertThat(compared(tidemark.run("validate", "--warehouse", POSTGRES.address())))
                .isEqualTo("""
                last run        epoch 1, started TIME
                differences     none
                target          shop.sales_by_day fits
                so              it can go on
                """);
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: { partitions: 0, because: x }"));
        Result narrower = tidemark.run("validate", "--warehouse", POSTGRES.address());
        assertThat(compared(narrower)).isEqualTo("""
                last run        epoch 1, started TIME
                differences     partition.because: null is now "x"
                                partition.lookback: 1 is now 0
                                partition.retain: 2 is now 0
                target          shop.sales_by_day fits
                so              it can go on
                """);
        assertThat(narrower.status()).isZero();
    }

    @Test
    void validateSaysWhatTheStateCannotFollow() throws Exception {
        run();
        tidemark.write("sales.yaml", Tidemark.JOB.replace("zone: UTC", "zone: Europe/Berlin"));

        Result result = tidemark.run("validate", "--warehouse");

        assertThat(compared(result)).isEqualTo("""
                last run        epoch 1, started TIME
                differences     partition.zone: "UTC" is now "Europe/Berlin"   the state cannot follow
                                take these changes back, or give the job and its target other names so that it starts anew
                target          shop.sales_by_day fits
                so              it cannot go on
                """);
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void validateSaysWhatALargerLookbackComesTo() throws Exception {
        run();
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: 2"));
        Result held = tidemark.run("validate", "--warehouse");
        tidemark.write("sales.yaml", Tidemark.JOB.replace("lookback: 1", "lookback: 12"));
        Result forgotten = tidemark.run("validate", "--warehouse");

        assertThat(held.out())
                .contains("lookback        2 was 1: a restore opens again what its state holds; see `widen`\n");
        assertThat(held.status()).isZero();
        assertThat(forgotten.out())
                .contains(
                        "lookback        12 was 1: the state cannot answer for all that a lookback of 12 opens again:\n",
                        "2024-03-01: the state has forgotten it, 1 ledger row is state-expired, so not in the state\n",
                        "rebuild these partitions instead, or restore with a smaller lookback\n");
        assertThat(forgotten.status()).isEqualTo(1);
    }

    @Test
    void validateSaysThatATargetDoesNotFit() throws Exception {
        run();
        execute("alter table shop.sales_by_day drop column note");

        Result result = tidemark.run("validate", "--warehouse");

        assertThat(result.out()).contains("is not what the job sales writes:\n  column note text is missing\n");
        assertThat(result.status()).isEqualTo(1);
    }

    @Test
    void validateNeedsAWarehouseThatSomebodyRuns() throws IOException {
        Result result = new Tidemark(folder).run("validate", "--warehouse");

        assertThat(result.err()).endsWith("tidemark: name the warehouse: --warehouse URL, or set TIDEMARK_WAREHOUSE\n");
        assertThat(result.status()).isEqualTo(2);
    }

    // ------------------------------------------------------------------------------------------------------ retire

    @Test
    void aJobThatMayRunIsNotRetiredWithoutForce() throws Exception {
        run();

        Result refused = tidemark.run("retire");

        assertThat(refused.err())
                .startsWith("tidemark: the job sales gave a sign of life at ")
                .endsWith("stop it first, or, if it has ended or is to be fenced while it runs, say --force\n");
        assertThat(refused.status()).isEqualTo(3);
        assertThat(tidemark.run("retire", "--force").out())
                .isEqualTo(
                        "retired: job sales; the table shop.sales_by_day stays, and another job may take it when it is"
                                + " empty\n");
    }

    @Test
    void aRetiredJobRunsAgainOnlyAfterInit() throws Exception {
        run();
        silence();
        assertThat(tidemark.run("retire").status()).isZero();
        assertThat(one("select to_regclass('tidemark_staging.sales')")).isNull();

        Result run = tidemark.run("run", "--parallelism", "1");

        assertThat(run.err()).contains("the job sales was retired at ").contains("run `tidemark init`");
        assertThat(run.status()).isEqualTo(3);
        assertThat(one("select count(*) from shop.sales_by_day")).isEqualTo("2");
        assertThat(tidemark.run("init").status()).isZero();
        tidemark.write("data/2.jsonl", """
                {"id": "e", "shop": "y", "amount": 1, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:01:00Z"}
                """);
        run();
        assertThat(one("select amount from shop.sales_by_day where shop = 'y'")).isEqualTo("1");
    }

    @Test
    void anotherJobTakesTheTargetOfARetiredOneWhichCannotComeBackToIt() throws Exception {
        run();
        silence();
        tidemark.run("retire", "--keep-staging");
        assertThat(one("select to_regclass('tidemark_staging.sales')")).isNotNull();
        execute("truncate shop.sales_by_day");
        tidemark.write("sales.yaml", Tidemark.JOB.replace("job: sales", "job: others"));
        run();
        tidemark.run("retire", "--force");
        tidemark.write("sales.yaml", Tidemark.JOB);

        Result back = tidemark.run("init");

        assertThat(back.err())
                .contains("the job sales was retired, and the job others has written to shop.sales_by_day since");
        assertThat(back.status()).isEqualTo(3);
    }

    // ------------------------------------------------------------------------------------------------------- prune

    @Test
    void pruneRemovesWhatIsOldAndNobodyNeeds() throws Exception {
        run();
        age();
        execute("update tidemark.late_ledger set status = 'dismissed', resolved_at = '2024-02-02'");
        execute("insert into tidemark.publications (job, publication, kind, lookback, started_at, published_at)"
                + " select 'sales', n, 'stream', 1, '2024-02-01', '2024-02-01' from generate_series(-12000, 0) n");
        execute("update tidemark.partitions set ended_by = -7 where partition = '2024-03-12'");

        Result dry = tidemark.run("prune", "--before", "2024-03-01", "--dry-run");
        Result wet = tidemark.run("prune", "--before", "2024-03-01");

        assertThat(dry.out()).isEqualTo("""
                late_ledger     1 would go
                rejected_changes 1 would go
                lateness        0 would go
                rebuilds        0 would go
                operations      0 would go
                publications    12,000 would go
                """);
        assertThat(wet.out()).isEqualTo(dry.out().replace("would go", "removed"));
        assertThat(one("select string_agg(publication::text, ' ' order by publication) from tidemark.publications"))
                .as("what a partition names, and the newest")
                .isEqualTo("-7 1");
        assertThat(one("select string_agg(record_id, '') from tidemark.late_ledger"))
                .as("resolved, but the state has not forgotten its partition")
                .isEqualTo("c");
        tidemark.write("data/2.jsonl", """
                {"id": "e", "shop": "y", "amount": 1, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:01:00Z"}
                """);
        run();
        assertThat(one("select amount from shop.sales_by_day where shop = 'y'")).isEqualTo("1");
    }

    @Test
    void pruneNeverRemovesOpenLedgerRowsOrSubmissions() throws Exception {
        run();
        age();

        tidemark.run("prune", "--before", "2024-03-12T00:00:00Z");

        assertThat(one("select count(*) from tidemark.late_ledger")).isEqualTo("2");
        assertThat(one("select count(*) from tidemark.submissions")).isEqualTo("1");
        assertThat(one("select count(*) from tidemark.publications")).isEqualTo("1");
    }

    @Test
    void pruneTakesADateOrAnInstantOfThePast() {
        assertThat(tidemark.run("prune", "--before", "last year").err())
                .isEqualTo("tidemark: --before: 'last year' is neither a date like 2026-01-31 nor an instant like"
                        + " 2026-01-31T12:00:00Z\n");
        assertThat(tidemark.run("prune", "--before", "2024-03-14").err())
                .isEqualTo("tidemark: --before 2024-03-14 lies in the future\n");
        assertThat(tidemark.run("prune").status()).isEqualTo(2);
    }

    // --------------------------------------------------------------------------------------------------- machinery

    private void run() {
        Result result = tidemark.run("run", "--parallelism", "1");
        assertThat(result.status()).as(result.err()).isZero();
    }

    private static void silence() throws SQLException {
        execute("update tidemark.jobs set started_at = '2024-03-12', heartbeat_at = '2024-03-12'");
    }

    private static void age() throws SQLException {
        execute("update tidemark.publications set published_at = '2024-02-01'");
        execute("update tidemark.late_ledger set recorded_at = '2024-02-01'");
        execute("update tidemark.rejected_changes set recorded_at = '2024-02-01'");
    }

    /** What stands behind the resolved job, but for the address. */
    private static String compared(Result result) {
        String text = result.out().substring(result.out().indexOf("\nwarehouse  ") + 1);
        return text.substring(text.indexOf('\n') + 1).replaceAll("started \\S+", "started TIME");
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
