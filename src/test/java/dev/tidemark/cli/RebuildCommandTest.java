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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code rebuild} says and does, at its real entry point, with and without a stream. */
@Timeout(300)
final class RebuildCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final String TARGET =
            "select day, shop, sales, amount, _revision, _pane from shop.sales_by_day order by 1, 2";

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void beginAnew() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 7, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "x", "amount": 4, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                {"id": "b", "shop": "y", "amount": 9, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:03:00Z"}
                nothing
                """);
    }

    // ------------------------------------------------------------------------------------------------ beside a stream

    @Test
    void closedPartitionsOfAStreamAreRebuilt() throws Exception {
        run("run", "--parallelism", "1");
        assertThat(rows(TARGET))
                .containsExactly(
                        "2024-03-10 x 1 5 1 ON_TIME",
                        "2024-03-10 y 1 7 1 ON_TIME",
                        "2024-03-12 x 1 7 1 EARLY",
                        "2024-03-12 y 1 9 1 EARLY");

        Result trial = run("rebuild", "--from", "2024-03-09", "--to", "2024-03-10", "--dry-run");
        assertThat(shown(trial)).isEqualTo("""
                would rebuild   2024-03-09 to 2024-03-10
                history         DIR/data, as of publication 1
                records read    6, 502 bytes, of which 1 do not count; see: tidemark rejected
                would change    1 partition
                rows            would write 1 (0 new), would remove 1
                late changes    2 would be marked incorporated
                took            SPAN
                dry run         nothing is changed
                """);
        assertThat(rows(TARGET)).hasSize(4);
        assertThat(rows("select count(*) from tidemark.rebuilds")).containsExactly("0");
        assertThat(rows("select count(*) from tidemark.late_ledger where status = 'open'"))
                .containsExactly("2");

        Result done =
                run("backfill", "--from", "2024-03-09", "--to", "2024-03-10", "--reason", "the late changes of March");
        assertThat(shown(done)).isEqualTo("""
                rebuilt         2024-03-09 to 2024-03-10
                history         DIR/data, as of publication 1
                records read    6, 502 bytes, of which 1 do not count; see: tidemark rejected
                partitions      1 partition
                rows            written 1 (0 new), removed 1
                late changes    2 marked incorporated
                publication     2
                took            SPAN
                """);
        assertThat(rows(TARGET))
                .containsExactly("2024-03-10 x 2 9 2 REBUILT", "2024-03-12 x 1 7 1 EARLY", "2024-03-12 y 1 9 1 EARLY");
        assertThat(rows("select split, \"offset\", half, status, resolved_by from tidemark.late_ledger order by 1, 2"))
                .containsExactly("1.jsonl 3 whole incorporated 2", "1.jsonl 4 old incorporated 2");
        assertThat(rows("select partition, cells, members, rebuilt_by, open_late from tidemark.partitions order by 1"))
                .containsExactly("2024-03-10 1 2 2 0", "2024-03-12 2 2 null 0");
        assertThat(rows(
                        "select mode, trial, from_partition, to_partition, reason, publication, rows_scanned, rows_written,"
                                + " rows_removed, partitions, bytes, incorporated, lock_ms >= 0, error, positions"
                                + " from tidemark.rebuilds"))
                .containsExactly("range f 2024-03-09 2024-03-10 the late changes of March 2 6 1 1 1 502 2 t null"
                        + " {\"\": {\"split\": \"1.jsonl\", \"offset\": 6, \"frontier\": 1710241380000000}}");
        assertThat(rows("select kind, records_read, cells_replaced, cells_removed, closed_before, complete_from, logs"
                        + " from tidemark.publications where publication = 2"))
                .containsExactly("rebuild 0 1 1 2024-03-11 2024-03-11 null");
        assertThat(rows("select count(*) from tidemark_staging.sales")).containsExactly("0");
    }

    @Test
    void whatTheLastRunOfTheStreamWasToldStays() throws Exception {
        run("run", "--parallelism", "1", "--lookback", "2");
        String told = "select lookback, spec #>> '{partition,because}' from tidemark.jobs";
        List<String> before = rows(told);

        run("rebuild", "--from", "2024-03-08", "--to", "2024-03-08");

        assertThat(before).containsExactly("2 given by --lookback");
        assertThat(rows(told)).isEqualTo(before);
    }

    @Test
    void allIsRebuiltWhenNoStreamIsRunning() throws Exception {
        run("run", "--parallelism", "1");
        execute("insert into shop.sales_by_day select '2031-01-01', 'foreign', 1, 1, 'x', 1, 1, 1, 'LATE', 1, now()");
        execute("update shop.sales_by_day set amount = 1000 where day = '2024-03-12' and shop = 'x'");

        Result done = run("rebuild", "--full-refresh");

        assertThat(done.out()).contains("rebuilt         all partitions\n").contains("written 2 (0 new), removed 2\n");
        assertThat(rows(TARGET))
                .containsExactly(
                        "2024-03-10 x 2 9 2 REBUILT", "2024-03-12 x 1 7 2 REBUILT", "2024-03-12 y 1 9 1 EARLY");
    }

    @Test
    void whileAStreamRunsItsOwnPartitionsAreRefused() throws Exception {
        run("run", "--parallelism", "1");
        tidemark.write("sales.yaml", Tidemark.JOB.replace("path: data", "path: data, watch: 1s"));

        assertFailed(
                tidemark.run("rebuild", "--all"),
                "tidemark: nothing is changed: the stream may still change the partitions from 2024-03-11 on, and it is"
                        + " running; rebuild up to 2024-03-10, or stop the stream first\n");

        execute("update tidemark.jobs set heartbeat_at = heartbeat_at - interval '2 minutes'");
        run("rebuild", "--all");
    }

    @Test
    void whatOnlySomeLogsHaveClosedIsRefused() throws Exception {
        run("run", "--parallelism", "1");
        execute("update tidemark.publications set closed_before = '2024-03-08'");

        assertFailed(
                tidemark.run("rebuild", "--from", "2024-03-05", "--to", "2024-03-09"),
                "tidemark: nothing is changed: the stream may still change 2024-03-08 to 2024-03-10, which logs that are"
                        + " behind have not filled yet: it would undo what is rebuilt there; rebuild up to 2024-03-07 and"
                        + " from 2024-03-11 on, or let the logs catch up first\n");
        assertThat(rows("select count(*) from tidemark.rebuilds")).containsExactly("0");
    }

    // ------------------------------------------------------------------------------------------------- without a
    // stream

    @Test
    void scheduledRunsOfAWindowKeepATargetWithoutAStream() throws Exception {
        Result first = run("rebuild", "--window");
        assertThat(first.err()).contains("the target has no rows: all of the history is computed\n");
        assertThat(rows(TARGET))
                .containsExactly(
                        "2024-03-10 x 2 9 1 REBUILT", "2024-03-12 x 1 7 1 REBUILT", "2024-03-12 y 1 9 1 REBUILT");

        tidemark.write("data/2.jsonl", """
                {"id": "e", "shop": "z", "amount": 1, "at": "2024-03-13T10:00:00Z", "seen": "2024-03-13T10:00:00Z"}
                {"id": "c", "shop": "x", "amount": 8, "at": "2024-03-11T10:00:00Z", "seen": "2024-03-13T10:01:00Z"}
                {"id": "a", "shop": "x", "amount": 6, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-13T10:02:00Z"}
                """);
        Result second = run("rebuild", "--window", "--frontier", "target");

        assertThat(second.out()).contains("rebuilt         from 2024-03-11 on\n");
        assertThat(rows(TARGET))
                .as("the correction of the tenth lies outside of the window")
                .containsExactly(
                        "2024-03-10 x 2 9 1 REBUILT",
                        "2024-03-11 x 1 8 1 REBUILT",
                        "2024-03-12 y 1 9 1 REBUILT",
                        "2024-03-13 z 1 1 1 REBUILT");
        run("rebuild", "--all");
        assertThat(rows(TARGET)).startsWith("2024-03-10 x 2 10 2 REBUILT");
    }

    @Test
    void aRowOfAFutureDayMisleadsNoWindow() throws Exception {
        run("rebuild", "--window");
        execute("insert into shop.sales_by_day select '2099-01-01', 'wild', 1, 1, 'x', 1, 1, 1, 'LATE', 1, now()");

        Result done = run("rebuild", "--window");

        assertThat(done.out()).contains("rebuilt         from 2024-03-11 on\n").contains("removed 1\n");
        assertThat(done.err())
                .contains("the target has rows in partitions that have not come yet (2099-01-01); no frontier follows"
                        + " from them, and what no record is behind goes\n");
        assertThat(rows(TARGET)).hasSize(3);
    }

    @Test
    void missedRunsLeaveAGapThatIsNamed() throws Exception {
        run("rebuild", "--window");
        tidemark.write("data/2.jsonl", """
                {"id": "e", "shop": "z", "amount": 1, "at": "2024-03-15T10:00:00Z", "seen": "2024-03-15T10:00:00Z"}
                {"id": "f", "shop": "z", "amount": 1, "at": "2024-03-21T10:00:00Z", "seen": "2024-03-21T10:00:00Z"}
                """);

        Result done = run("rebuild", "--window", "--frontier", "2024-03-20");

        assertThat(done.out())
                .contains("gap             2024-03-13 to 2024-03-18   not filled by anybody: tidemark rebuild --job"
                        + " DIR/sales.yaml --from 2024-03-13 --to 2024-03-18\n");
        assertThat(rows("select gaps, frontier from tidemark.rebuilds where gaps <> '[]'"))
                .containsExactly("[[\"2024-03-13\", \"2024-03-18\"]] 2024-03-20");
        run("rebuild", "--from", "2024-03-13", "--to", "2024-03-18");
        assertThat(run("rebuild", "--window", "--frontier", "2024-03-20").out()).doesNotContain("gap");
        assertThat(run("rebuild", "--window", "--frontier", "clock").out())
                .contains("rebuilt         from 2024-03-12 on\n");
    }

    // -------------------------------------------------------------------------------------------------------- bad use

    @Test
    void wrongUseIsToldBeforeAnythingIsTouched() throws Exception {
        assertWrongUse("say which partitions: --from P --to P, --window or --all");
        assertWrongUse("--from and --to, --window and --all exclude each other", "--window", "--all");
        assertWrongUse("--from and --to belong together: both ends are included", "--from", "2024-03-10");
        assertWrongUse("--from 2024-03-11 is later than --to 2024-03-10", "--from", "2024-03-11", "--to", "2024-03-10");
        assertWrongUse(
                "--from: 'yesterday' is not a date such as 2024-03-10", "--from", "yesterday", "--to", "2024-03-10");
        assertWrongUse("--frontier says where a window ends: it belongs to --window", "--all", "--frontier", "clock");
        assertWrongUse("--frontier: 'soon' is not a date such as 2024-03-10", "--window", "--frontier", "soon");
        assertWrongUse(
                "--lock-timeout: 'long' is no duration of at least 10ms; write for instance 5s or 2m",
                "--all",
                "--lock-timeout",
                "long");
        assertThat(rows("select to_regclass('tidemark.jobs')")).containsExactly("null");
    }

    @Test
    void aDryRunNeedsAPreparedTarget() {
        assertThat(tidemark.run("rebuild", "--all", "--dry-run").err())
                .endsWith("does not know the job sales: run `tidemark init` or `tidemark run` first\n");
    }

    @Test
    void aHistoryThatIsGoneChangesNothing() throws Exception {
        tidemark.write("data/2.jsonl", """
                {"id": "e", "shop": "z", "amount": 1, "at": "2024-03-13T10:00:00Z", "seen": "2024-03-13T10:00:00Z"}
                """);
        run("run", "--parallelism", "1");
        List<String> before = rows(TARGET);

        Files.move(folder.resolve("data/1.jsonl"), folder.resolve("1.jsonl"));
        assertFailed(
                tidemark.run("rebuild", "--all"),
                "tidemark: the history (DIR/data) has lost records: the stream has read 7, and 1 are left before the same"
                        + " positions. Nothing is changed; put the files back\n");
        Files.move(folder.resolve("data/2.jsonl"), folder.resolve("2.jsonl"));
        assertFailed(
                tidemark.run("rebuild", "--all"),
                "tidemark: the history (DIR/data) has changed: the changes before 2.jsonl @ 1 are published, but it has none"
                        + " of them. Nothing is changed; put the files back\n");

        assertThat(rows(TARGET)).isEqualTo(before);
        assertThat(
                        rows(
                                "select publication, finished_at is not null, error like 'the history%' from tidemark.rebuilds"))
                .containsExactly("null t t", "null t t");
        assertThat(rows("select count(*) from tidemark.staged_parts")).containsExactly("0");
    }

    @Test
    void aHistoryThatDoesNotReachBackIsRefused() throws Exception {
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB.replace("files: { path: data } }", "files: { path: data }, wholeFrom: 2024-03-11 }"));
        run("init");

        assertFailed(
                tidemark.run("rebuild", "--from", "2024-03-10", "--to", "2024-03-12"),
                "tidemark: nothing is changed: the history (DIR/data) does not reach back to the beginning of the"
                        + " partitions from 2024-03-10 to 2024-03-10; the first that it holds whole is 2024-03-11: rebuild"
                        + " from 2024-03-11 on, or name a history that reaches further back, or say by wholeFrom what it"
                        + " holds\n");
        assertThat(run("rebuild", "--window").out()).contains("rebuilt         from 2024-03-11 on\n");
    }

    @Test
    void aLockedTableIsTold() throws Exception {
        run("run", "--parallelism", "1");
        try (Connection other = POSTGRES.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table shop.sales_by_day in access exclusive mode");
            // What stands is looked at first: that waits too.
            Result refused = tidemark.run("rebuild", "--all", "--lock-timeout", "100ms");

            assertThat(refused.status()).isEqualTo(3);
            assertThat(refused.err())
                    .contains("canceling statement due to lock timeout")
                    .contains("another transaction holds the lock: see pg_stat_activity and pg_locks");
        }
        assertThat(rows("select count(*) from tidemark.staged_parts")).containsExactly("0");
        run("rebuild", "--all");
    }

    @Test
    void aTableThatNobodyMayWriteToIsTold() throws Exception {
        run("run", "--parallelism", "1");
        execute("drop role if exists reader");
        execute("create role reader login");
        execute("grant usage on schema tidemark, tidemark_staging, shop to reader");
        execute("grant all on all tables in schema tidemark, tidemark_staging to reader");
        execute("grant select on shop.sales_by_day to reader");
        List<String> before = rows(TARGET);
        Tidemark other = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address("reader"));

        Result refused = other.run("rebuild", "--all", "--no-init");

        assertThat(refused.status()).isEqualTo(3);
        assertThat(refused.err())
                .contains("permission denied for table sales_by_day")
                .contains("the user lacks this right");
        assertThat(rows(TARGET)).isEqualTo(before);
        assertThat(rows("select count(*) from tidemark.staged_parts")).containsExactly("0");
    }

    @Test
    void twoRebuildsAtOnceAreOneTooMany() throws Exception {
        run("run", "--parallelism", "1");
        try (Connection other = POSTGRES.connect();
                Statement statement = other.createStatement()) {
            statement.execute("select pg_advisory_lock(hashtext('tidemark rebuild'), hashtext('sales'))");
            assertFailed(
                    tidemark.run("rebuild", "--all"),
                    "tidemark: another rebuild of the job sales is at work (see tidemark.rebuilds); wait for its end, or"
                            + " end it first\n");
        }
        run("rebuild", "--all");
    }

    private void assertWrongUse(String message, String... arguments) {
        Result result = tidemark.run("rebuild", arguments);
        assertThat(result.err()).isEqualTo("tidemark: " + message + "\n");
        assertThat(result.status()).isEqualTo(2);
    }

    private static void assertFailed(Result result, String message) {
        assertThat(result.err()).endsWith(message);
        assertThat(result.status()).isEqualTo(3);
        assertThat(result.out()).isEmpty();
    }

    private Result run(String command, String... arguments) {
        Result result = tidemark.run(command, arguments);
        assertThat(result.status()).as(result.err()).isZero();
        return result;
    }

    private static String shown(Result result) {
        return result.out().replaceAll("took +[0-9.]+ s   the job was locked for [0-9]+ ms", "took            SPAN");
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
