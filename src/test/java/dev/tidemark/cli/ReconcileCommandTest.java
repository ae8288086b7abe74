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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code reconcile} finds and says of a job that has run. */
final class ReconcileCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;

    /** 2024-03-08: x 10, y 20; 2024-03-09: x 30; 2024-03-10: x 100 + 100; open: 2024-03-12: x 7. */
    @BeforeAll
    static void runJob() throws IOException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 10, "at": "2024-03-08T10:00:00Z", "seen": "2024-03-08T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 20, "at": "2024-03-08T11:00:00Z", "seen": "2024-03-08T11:01:00Z"}
                {"id": "c", "shop": "x", "amount": 30, "at": "2024-03-09T10:00:00Z", "seen": "2024-03-09T10:01:00Z"}
                {"id": "d", "shop": "x", "amount": 100, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "e", "shop": "x", "amount": 100, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:01:00Z"}
                {"id": "f", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "l", "shop": "x", "amount": 5, "at": "2024-03-08T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                """);
        assertThat(tidemark.run("run", "--parallelism", "1").status()).isEqualTo(0);
    }

    @AfterEach
    void forget() throws SQLException {
        execute("delete from tidemark.reconciliation_runs");
        execute("drop table if exists public.bank");
    }

    @Test
    void totalsThatAgreePassAndThatIsKept() throws Exception {
        assertThat(tidemark.run("status").out()).contains("reconciliation  unmeasured\n");
        tidemark.write("totals.csv", """
                day,amount,sales
                2024-03-08,30,2
                2024-03-09,30.00,1
                2024-03-10,200,2
                """);

        Result result = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"));

        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("""
                control         totals, from DIR/totals.csv
                target          shop.sales_by_day as of publication 1
                tolerance       0 %
                partitions      3

                measure  control  target  difference  variance  row by row  trend
                amount    260.00     260        0.00  0 %       -           not known yet: 3 of 60 partitions of a baseline
                sales          5       5           0  0 %       -           not known yet: 3 of 60 partitions of a baseline

                all partitions agree to the last digit

                passed
                """);
        assertThat(result.status()).isEqualTo(0);
        assertThat(tidemark.run("status", "--check", "--reconciled-after", "1d"))
                .satisfies(status -> assertThat(status.status()).isEqualTo(0))
                .satisfies(status -> assertThat(status.out())
                        .contains("reconciliation  totals: passed, 3 partitions, variance 0 % of a tolerance of 0 %,"
                                + " 2024-03-13T08:00:00Z, 0 ms ago\n"));
    }

    @Test
    void aVarianceBelowTheTolerancePassesAndSaysWhatTheToleranceIsWorth() throws Exception {
        tidemark.write("totals.csv", "day,amount\n2024-03-09,30\n2024-03-10,200.5\n");

        Result result = tidemark.run(
                "reconcile",
                "--totals",
                tidemark.path("totals.csv"),
                "--tolerance",
                "0.5",
                "--annual",
                "182000000",
                "--currency",
                "USD");

        assertThat(result.out())
                .contains("tolerance       0.5 %: 910,000 USD a year may be wrong without anyone looking\n")
                .contains("amount     230.5     230         0.5  0.22 %    394,793.93 USD")
                .contains("2024-03-10  amount     200.5     200  0.25 %")
                .endsWith("passed\n");
        assertThat(result.status()).isEqualTo(0);
    }

    @Test
    void aVarianceBeyondTheToleranceAlarmsByPartitionAndInTotal() throws Exception {
        tidemark.write("totals.csv", "day,amount\n2024-03-09,30\n2024-03-10,210\n");

        Result result = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"), "--tolerance", "0.5");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).endsWith("""
                        alarm: the total of amount is 10 too little, 4.17 %; the tolerance is 0.50 %
                        alarm: amount is further from the control than 0.50 % in 2024-03-10 (10 too little, 4.76 %)
                        """);
        assertThat(tidemark.run("status", "--check"))
                .satisfies(status -> assertThat(status.status()).isEqualTo(1))
                .satisfies(status -> assertThat(status.out())
                        .contains("warning: the reconciliation with totals at 2024-03-13T08:00:00Z did not pass:"
                                + " total-over-tolerance, partition-over-tolerance\n"));
    }

    @Test
    void partitionsOnOneSideOnlyAreUnmatchedHoweverLargeTheTolerance() throws Exception {
        tidemark.write("totals.csv", "day,amount\n2024-03-07,1\n2024-03-08,30\n2024-03-10,200\n");

        Result result = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"), "--tolerance", "100");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out())
                .contains(
                        "alarm: rows without counterpart in 2024-03-07 (nothing in the target), 2024-03-09 (nothing in the"
                                + " control)\n");
    }

    @Test
    void errorsThatCancelPassWithoutKeysAndAreNamedWithThem() throws Exception {
        tidemark.write("sums.csv", "day,amount\n2024-03-08,30\n");
        tidemark.write("keys.csv", "day,shop,amount\n2024-03-08,x,13\n2024-03-08,y,17\n");
        tidemark.write("other.csv", "day,shop,amount,sales\n2024-03-08,x,10,1\n2024-03-08,z,20,1\n");

        Result sums = tidemark.run("reconcile", "--totals", tidemark.path("sums.csv"), "--tolerance", "0.5");
        Result keys = tidemark.run("reconcile", "--totals", tidemark.path("keys.csv"), "--tolerance", "0.5");
        Result other = tidemark.run("reconcile", "--totals", tidemark.path("other.csv"), "--tolerance", "0.5");

        assertThat(sums.out()).endsWith("passed\n");
        assertThat(keys.status()).isEqualTo(1);
        assertThat(keys.out())
                .contains("""
                        day         shop  amount there  here  row
                        2024-03-08  x               13    10  different
                        2024-03-08  y               17    20  different
                        """)
                .contains("alarm: errors cancel in the sum, but row by row they are more than 0.50 % in 2024-03-08"
                        + " (amount 6)\n");
        assertThat(other.status()).isEqualTo(1);
        assertThat(other.out())
                .contains("""
                        day         shop  amount there  here  sales there  here  row
                        2024-03-08  y                -    20            -     1  only in the target
                        2024-03-08  z               20     -            1     -  only in the control
                        """)
                .contains(
                        "alarm: rows without counterpart in 2024-03-08 (1 only in the control, 1 only in the target)\n");
    }

    @Test
    void aCountIsComparedAtZeroToleranceUnlessRowsAreAllowed() throws Exception {
        tidemark.write("totals.csv", "day,_members\n2024-03-09,1\n2024-03-10,3\n");

        String[] options = {"--totals", tidemark.path("totals.csv"), "--tolerance", "90"};
        Result strict = tidemark.run("reconcile", options);
        Result loose = tidemark.run("reconcile --unmatched 1", options);

        assertThat(strict.out()).endsWith("alarm: rows without counterpart in 2024-03-10 (1 by count)\n");
        assertThat(loose.out()).endsWith("passed\n");
    }

    @Test
    void aPartitionThatIsStillOpenIsShownAndAlarmsNobodyUnlessAskedTo() throws Exception {
        tidemark.write("totals.csv", "day,amount\n2024-03-10,200\n2024-03-11,3\n2024-03-12,9\n");

        Result shown = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"));
        Result counted = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"), "--open");

        assertThat(shown.status()).isEqualTo(0);
        assertThat(shown.out())
                .contains("partitions      1, and 2 still open, which alarm nobody\n")
                .contains("2024-03-12  amount         9       7  22.22 %   -                   0          0  open\n");
        assertThat(counted.status()).isEqualTo(1);
        assertThat(counted.out()).contains("partitions      3\n");
    }

    @Test
    void openLateChangesOfAPartitionStandBesideItsVariance() throws Exception {
        tidemark.write("totals.csv", "day,amount\n2024-03-08,35\n");

        assertThat(tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"))
                        .out())
                .contains(
                        "2024-03-08  amount        35      30  14.29 %   -                   0          1  partition-over-"
                                + "tolerance\n");
    }

    @Test
    void totalsComeFromAQueryOfTheWarehouseOrOfAnotherDatabase() throws Exception {
        execute("create table public.bank (booked timestamptz, store text, amount numeric)");
        execute("insert into public.bank values ('2024-03-08T23:00:00Z', 'x', 10), ('2024-03-08T23:00:00Z', 'y', 20),"
                + " ('2024-03-09T01:00:00Z', 'x', 30)");
        String sql = "select (booked at time zone 'UTC')::date as \"DAY\", store as shop, sum(amount) as paid from bank"
                + " group by 1, 2";
        tidemark.write("bank.sql", sql);

        Result own = tidemark.run("reconcile", "--query", sql, "--measure", "amount=paid", "--control", "bank");
        Result other = tidemark.run(
                "reconcile",
                "--query",
                "@" + tidemark.path("bank.sql"),
                "--url",
                "jdbc:" + POSTGRES.address(),
                "--measure",
                "amount=paid");
        Result wrong = tidemark.run("reconcile", "--query", "select 1 from nowhere");
        Result writing = tidemark.run("reconcile", "--query", "delete from bank returning *");
        Result unknown = tidemark.run("reconcile", "--query", sql, "--url", "jdbc:unknown://u:secret@host/db");

        assertThat(own.out()).contains("control         bank, from query of").endsWith("passed\n");
        assertThat(other.out()).endsWith("passed\n");
        assertThat(wrong.err()).contains("relation \"nowhere\" does not exist").doesNotContain("\n\n");
        assertThat(wrong.status()).isEqualTo(2);
        assertThat(writing.err()).contains("read-only transaction");
        assertThat(unknown.err())
                .contains("no driver for a database (jdbc:unknown) is on the class path", "TIDEMARK_CLASSPATH")
                .doesNotContain("secret");
    }

    @Test
    void allThatIsWrongWithTotalsIsToldAtOnceWithItsLine() throws Exception {
        tidemark.write("header.csv", "date,shop,amuont,note\n2024-03-08,x,1,2\n");
        tidemark.write("lines.csv", """
                day,shop,amount
                2024-03-08,x,10

                yesterday,x,ten
                2024-03-08,"y
                z",
                2024-03-08,x,11
                2024-03-09,x
                """);
        tidemark.write("empty.csv", "");
        tidemark.write("bare.csv", "day,amount\n");

        Result header = tidemark.run("reconcile", "--totals", tidemark.path("header.csv"));
        Result lines = tidemark.run("reconcile", "--totals", tidemark.path("lines.csv"));

        assertThat(header.status()).isEqualTo(2);
        assertThat(header.err()).isEqualTo("""
                tidemark: the control totals (DIR/header.csv) cannot be compared:
                  the header has no column day, the partition of the target; it has date, shop, amuont, note
                  the column date is no column of the target; measures are sales, amount, _members. Rename it, or say with --measure which columns are meant
                  the column amuont is no column of the target; measures are sales, amount, _members. Rename it, or say with --measure which columns are meant
                  the column note is a column of the target that does not add up over rows; measures are sales, amount, _members. Rename it, or say with --measure which columns are meant
                """);
        assertThat(lines.status()).isEqualTo(2);
        assertThat(lines.err()).isEqualTo("""
                tidemark: the control totals (DIR/lines.csv) cannot be compared:
                  line 4: day: 'yesterday' is not a date such as 2024-03-10
                  line 4: amount: 'ten' is not a number such as 1234.50
                  line 5: amount is empty; write 0 for none
                  line 8: has 2 values, the header has 3 columns
                  line 7: names the same partition and key as line 2; add them up
                """);
        assertThat(tidemark.run("reconcile", "--totals", tidemark.path("empty.csv"))
                        .err())
                .contains("the file is empty; its first line must name the columns");
        assertThat(tidemark.run("reconcile", "--totals", tidemark.path("bare.csv"))
                        .err())
                .contains("there is no line behind the header");
        assertThat(one("select count(*) from tidemark.reconciliation_runs")).isEqualTo("0");
    }

    @Test
    void everyVarianceIsKeptAndShownAndThePartitionsNewestCounts() throws Exception {
        assertThat(tidemark.run("reconcile", "--history").out()).isEqualTo("unmeasured: nothing was reconciled yet\n");
        tidemark.write("totals.csv", "day,amount\n2024-03-09,31\n2024-03-10,200\n");
        tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"));
        tidemark.write("totals.csv", "day,amount\n2024-03-09,30\n2024-03-12,9\n");
        tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"));

        assertThat(tidemark.run("reconcile", "--history").out()).isEqualTo("""
                control  measure  partition          their value  ours  variance  unmatched  loss  gain  times  reconciled
                totals   amount   2024-03-09                  30    30  0 %               0  -     -         2  2024-03-13T08:00:00Z
                totals   amount   2024-03-10                   0   200  -                 1  -     -         2  2024-03-13T08:00:00Z
                totals   amount   2024-03-12 (open)            9     7  22.22 %           0  -     -         1  2024-03-13T08:00:00Z
                """);
        assertThat(one("select string_agg(variance::text, ' ' order by reconciliation) from tidemark.reconciliations"
                        + " where partition = '2024-03-09'"))
                .startsWith("3.22")
                .endsWith(" 0");
        assertThat(tidemark.run("reconcile", "--history", "--format", "csv").out())
                .hasLineCount(4);
    }

    /** The series of two months, as if it had been kept; then the job loses a little more each day. */
    @Test
    void aShiftFarBelowTheToleranceIsAnAlarm() throws Exception {
        execute(
                "insert into tidemark.reconciliation_runs (job, control, origin, tolerance, tolerated_unmatched, partitions,"
                        + " unmatched, alarms, reconciled_at) values ('sales', 'totals', 'before', 0.5, 0, 1, 0, '{}', now())");
        execute("insert into tidemark.reconciliations (reconciliation, job, control, measure, partition, counted,"
                + " control_value, target_value, variance, differing, only_control, only_target, unmatched, open_late, passed)"
                + " select (select max(reconciliation) from tidemark.reconciliation_runs), 'sales', 'totals', 'amount',"
                + " to_char(date '2023-12-20' + n, 'YYYY-MM-DD'), true, 1000, 1000, 0.02 + 0.02 * sin(n) +"
                + " (case when n < 70 then 0 else 0.07 end), 0, 0, 0, 0, 0, true from generate_series(0, 78) n");
        tidemark.write("totals.csv", "day,amount\n2024-03-08,30\n2024-03-09,30\n2024-03-10,200.2\n");

        Result result = tidemark.run("reconcile", "--totals", tidemark.path("totals.csv"), "--tolerance", "0.5");
        Result another = tidemark.run(
                "reconcile", "--totals", tidemark.path("totals.csv"), "--tolerance", "0.5", "--control", "other");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out())
                .contains("SHIFTED since 2024-02-2")
                .contains("alarm: the variance of amount has shifted since 2024-02-2")
                .contains("the target lacks more than the baseline's 0.02")
                .doesNotContain("over-tolerance");
        assertThat(one("select string_agg(distinct (cusum_loss > 8)::text, ',') from tidemark.reconciliations"
                        + " where partition >= '2024-03-08' and control = 'totals'"))
                .isEqualTo("true");
        assertThat(another.status())
                .as("other totals have a series of their own")
                .isEqualTo(0);
    }

    @Test
    void programsGetTheVerdictTheTotalsAndTheRows() throws Exception {
        tidemark.write("totals.csv", "day,shop,amount\n2024-03-08,x,13\n2024-03-08,y,17\n");

        String[] options = {"--totals", tidemark.path("totals.csv"), "--annual", "365", "--tolerance", "1"};
        String json = tidemark.run("reconcile --format json", options).out();
        Result csv = tidemark.run("reconcile --format csv", options);

        assertThat(json)
                .contains("\"passed\" : false", "\"tolerance_a_year\" : 3.65", "\"name\" : \"compensating\"")
                .contains("{\"partition\":\"2024-03-08\",\"measure\":\"amount\",\"counted\":true,\"control_value\":30,"
                        + "\"target_value\":30,\"difference\":0,\"variance_percent\":0.0,\"gross_percent\":20.0,"
                        + "\"differing_rows\":2,\"only_control\":0,\"only_target\":0,\"unmatched\":0,\"open_late\":1,"
                        + "\"passed\":false}")
                .contains("\"shop\" : \"x\"");
        assertThat(csv.out())
                .isEqualTo(
                        "partition,measure,counted,control_value,target_value,difference,variance_percent,gross_percent,"
                                + "differing_rows,only_control,only_target,unmatched,open_late,passed\r\n"
                                + "2024-03-08,amount,true,30,30,0,0.0,20.0,2,0,0,0,1,false\r\n");
        assertThat(csv.err()).startsWith("alarm: errors cancel in the sum");
    }

    @Test
    void optionsThatDoNotFitAreToldBeforeAnythingIsDone() {
        assertWrongUse("say where the totals are: --totals FILE or --query SQL");
        assertWrongUse("give either --totals or --query", "--totals", "x", "--query", "y");
        assertWrongUse("--url says where --query is asked", "--totals", "x", "--url", "y");
        assertWrongUse("--tolerance: 101 is not from 0 to 100 percent", "--totals", "x", "--tolerance", "101");
        assertWrongUse("--currency belongs to --annual AMOUNT", "--totals", "x", "--currency", "USD");
        assertWrongUse(
                "--history shows what is kept: of the other options it takes --control, --format and --limit",
                "--history",
                "--totals",
                "x");
        assertThat(tidemark.run("reconcile", "--totals", "nowhere.csv").err())
                .contains("the control totals cannot be read from nowhere.csv");
    }

    @Test
    void hoursAndKeysOfEveryTypeAreComparedAsWhatTheyAre(@TempDir Path elsewhere) throws Exception {
        Tidemark hourly = new Tidemark(elsewhere).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        hourly.write("sale.avsc", """
                {"type": "record", "name": "Sale", "fields": [
                  {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
                  {"name": "number", "type": "long"},
                  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}},
                  {"name": "due", "type": {"type": "int", "logicalType": "date"}},
                  {"name": "paid", "type": "boolean"},
                  {"name": "hash", "type": "bytes"},
                  {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-millis"}},
                  {"name": "clock", "type": {"type": "int", "logicalType": "time-millis"}},
                  {"name": "share", "type": "double"},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                  {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
                """);
        hourly.write("sales.yaml", """
                formatVersion: 1
                job: hourly
                source: { schema: sale.avsc, format: json, files: { path: data } }
                changes: { mode: upsert, id: id, version: seen }
                time: { event: at, observed: seen, frontier: observed }
                partition: { grain: hour, zone: Asia/Kathmandu, lookback: 1 }
                target:
                  table: shop.hourly
                  key: [id, number, price, due, paid, hash, local, clock, at]
                  columns: { sales: { count: {} }, share: { sum: share } }
                """);
        assertThat(hourly.run("init").status()).isEqualTo(0);
        execute(
                "insert into shop.hourly values ('2024-03-10T14:15:00Z', '00000000-0000-0000-0000-00000000000a', 7, 1.50,"
                        + " '2024-03-11', true, '\\x00ff', '2024-03-10T20:00:00', '12:00', '2024-03-10T14:20:00Z', 1, 0.25, 1, 1, 1,"
                        + " 'EARLY', 1, now())");
        hourly.write("totals.csv", """
                hour,id,number,price,due,paid,hash,local,clock,at,share,sales
                2024-03-10T20:00:00+05:45,00000000-0000-0000-0000-00000000000A,7,1.5,2024-03-11,TRUE,\\x00FF,2024-03-10T20:00,12:00:00,2024-03-10T14:20:00.000Z,0.250,1
                """.replace("\\\\", "\\"));
        hourly.write("wrong.csv", """
                hour,id,number,price,due,paid,hash,local,clock,at,share,sales
                2024-03-10T14:00:00Z,7,x,1.555,11.3.2024,yes,00FF,yesterday,noon,now,1e999,1
                2024-03-10,00000000-0000-0000-0000-00000000000A,7,1.5,2024-03-11,true,\\x,2024-03-10T20:00,12:00,2024-03-10T14:20:00Z,1,1
                """.replace("\\\\", "\\"));

        Result same = hourly.run("reconcile", "--totals", hourly.path("totals.csv"));
        Result wrong = hourly.run("reconcile", "--totals", hourly.path("wrong.csv"));

        assertThat(same.err()).isEmpty();
        assertThat(same.out())
                .contains("all partitions agree to the last digit")
                .endsWith("passed\n");
        assertThat(wrong.err()).isEqualTo("""
                tidemark: the control totals (DIR/wrong.csv) cannot be compared:
                  line 2: hour: '2024-03-10T14:00:00Z' is not where a partition begins, by the hour in Asia/Kathmandu
                  line 2: id: '7' is not of the type uuid
                  line 2: number: 'x' is not of the type bigint
                  line 2: price: '1.555' is not of the type numeric(8,2)
                  line 2: due: '11.3.2024' is not of the type date
                  line 2: paid: 'yes' is not true or false
                  line 2: hash: '00FF' is not bytes such as \\x00ff
                  line 2: local: 'yesterday' is not of the type timestamp without time zone
                  line 2: clock: 'noon' is not of the type time
                  line 2: at: 'now' is not of the type timestamp with time zone
                  line 2: share: '1e999' is not a number of at most 200 digits
                  line 3: hour: '2024-03-10' is not an instant such as 2024-03-10T14:00:00Z
                """);
    }

    private static void assertWrongUse(String message, String... options) {
        Result result = tidemark.run("reconcile", options);
        assertThat(result.err()).isEqualTo("tidemark: " + message + "\n");
        assertThat(result.status()).isEqualTo(2);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String one(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
