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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Faults that somebody plants in two tables, one by shop and day and one by record, and which of the commands finds them. All
 * faults are there at once, each in a day of its own; before that the same tables pass.
 */
final class PlantedFaultsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;

    private static Result cleanVerify;
    private static Result cleanMissing;
    private static Result cleanReconcile;
    private static Result cleanRows;
    private static Result verify;
    private static Result missing;
    private static Result sums;
    private static Result keys;
    private static Result rows;
    private static Result status;

    @BeforeAll
    static void runCleanAndFaulty() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB.replace("table: shop.sales_by_day", "table: shop.sales_by_day\n  revisions: true"));
        tidemark.write(
                "lines.yaml",
                Tidemark.JOB
                        .replace("job: sales", "job: lines")
                        .replace("lookback: 1", "lookback: 20")
                        .replace("table: shop.sales_by_day", "table: shop.lines\n  revisions: true")
                        .replace("key: shop", "key: id"));
        tidemark.write(
                "data/1.jsonl",
                lines(1, "a1 x 10", "a2 y 20")
                        + lines(2, "b1 x 10", "b2 y 20")
                        + lines(3, "c1 x 10")
                        + lines(4, "d1 x 10", "d2 y 20")
                        + lines(5, "e1 x 10", "e2 y 20")
                        + lines(6, "f1 x 10")
                        + lines(7, "g1 x 10", "h1 y 5"));
        run("run", "sales.yaml", "--parallelism", "1");
        run("run", "lines.yaml", "--parallelism", "1");
        tidemark.write(
                "data/2.jsonl",
                lines(7, "g2 x 20")
                        + line("h1", "y", 6, 7, "2024-03-07T14:00:00Z")
                        + lines(10, "z1 x 1")
                        + line("l1", "y", 7, 1, "2024-03-10T14:00:00Z")
                        + "no record\n");
        run("run", "sales.yaml", "--parallelism", "1");
        run("run", "lines.yaml", "--parallelism", "1");
        tidemark.write("data/3.jsonl", lines(11, "n1 x 1"));
        tidemark.write("sums.csv", """
                day,amount
                2024-03-01,30
                2024-03-02,30
                2024-03-03,10
                2024-03-04,30
                2024-03-05,30
                2024-03-06,10
                2024-03-07,36
                """);
        tidemark.write("keys.csv", """
                day,shop,amount,sales
                2024-03-01,x,10,1
                2024-03-01,y,20,1
                2024-03-02,x,10,1
                2024-03-02,y,20,1
                2024-03-03,x,10,1
                2024-03-04,x,10,1
                2024-03-04,y,20,1
                2024-03-05,x,10,1
                2024-03-05,y,20,1
                2024-03-06,x,10,1
                2024-03-07,x,30,2
                2024-03-07,y,6,1
                """);

        cleanVerify = run("verify", "sales.yaml");
        cleanMissing = tidemark.runPlain(
                "missing", "--job", tidemark.path("sales.yaml"), "--job", tidemark.path("lines.yaml"));
        cleanReconcile = run("reconcile", "sales.yaml", "--totals", tidemark.path("keys.csv"));
        cleanRows = run("verify", "lines.yaml");

        plant();
        verify = run("verify", "sales.yaml", "--limit", "0");
        missing = run("missing", "sales.yaml", "--limit", "0");
        sums = run("reconcile", "sales.yaml", "--totals", tidemark.path("sums.csv"), "--tolerance", "0.5");
        keys = run(
                "reconcile",
                "sales.yaml",
                "--totals",
                tidemark.path("keys.csv"),
                "--tolerance",
                "0.5",
                "--control",
                "keys");
        rows = run("missing", "lines.yaml", "--limit", "0");
        status = run("status", "sales.yaml", "--check");
    }

    private static void plant() throws SQLException {
        for (String sql : new String[] {
            "alter table shop.sales_by_day drop constraint sales_by_day_pkey",
            "alter table shop.lines drop constraint lines_pkey",
            // a value changed by hand
            "update shop.sales_by_day set amount = 11 where day = '2024-03-01' and shop = 'x'",
            "update shop.lines set amount = 11 where id = 'a1'",
            // a row removed
            "delete from shop.sales_by_day where day = '2024-03-02' and shop = 'y'",
            "delete from shop.lines where id = 'b2'",
            // a row added
            "insert into shop.sales_by_day select day, 'ghost', 1, 5, 'new', 1, 1, 42, 'LATE', 1, now() from shop.sales_by_day"
                    + " where day = '2024-03-03'",
            "insert into shop.lines select day, 'ghost', 1, 5, 'new', 1, 1, 42, 'LATE', 1, now() from shop.lines where id = 'c1'",
            // two errors that cancel
            "update shop.sales_by_day set amount = amount + case shop when 'x' then 3 else -3 end where day = '2024-03-04'",
            // a partition emptied
            "delete from shop.sales_by_day where day = '2024-03-05'",
            "delete from shop.lines where day = '2024-03-05'",
            // a row twice
            "insert into shop.sales_by_day select * from shop.sales_by_day where day = '2024-03-06'",
            "insert into shop.lines select * from shop.lines where id = 'f1'",
            // revisions that were true once
            "update shop.sales_by_day t set sales = r.sales, amount = r.amount, _revision = r._revision,"
                    + " _members = r._members, _fingerprint = r._fingerprint from shop.sales_by_day_revisions r"
                    + " where r.day = '2024-03-07' and r._revision = 1 and t.day = r.day and t.shop = r.shop",
            "update shop.lines t set amount = r.amount, _revision = 1, _fingerprint = r._fingerprint"
                    + " from shop.lines_revisions r where r.id = 'h1' and r._revision = 1 and t.id = r.id"
        }) {
            execute(sql);
        }
    }

    @Test
    void aCleanTablePassesAllFour() {
        assertThat(cleanVerify.status()).as(cleanVerify.out()).isEqualTo(0);
        assertThat(cleanMissing.status()).as(cleanMissing.out()).isEqualTo(0);
        assertThat(cleanReconcile.status()).as(cleanReconcile.out()).isEqualTo(0);
        assertThat(cleanRows.status()).as(cleanRows.out()).isEqualTo(0);
        assertThat(run("lateness", "lines.yaml", "--check").status()).isEqualTo(0);
    }

    @Test
    void whatTheLedgerHasAndWhatIsNotReadYetIsNotMissing() {
        assertThat(cleanMissing.out()).startsWith("""
                job             sales
                target          shop.sales_by_day as of publication 2
                partitions      all
                source rows     15 that live
                  in the ledger 1   late, and so not in the target
                  rejected      0
                no rows         1   changes that must not count; see: tidemark rejected
                not read yet    1 file,\
                """.stripTrailing());
        assertThat(cleanMissing.out())
                .contains("missing         0\n", "unresolved      0\n", "\npassed\n\njob             lines\n");
    }

    @Test
    void aValueChangedByHandIsForVerify() {
        assertThat(line(verify, "2024-03-01  x")).contains("different", "wrong", "amount", "10", "11");
        assertThat(missing.out()).doesNotContain("2024-03-01");
        assertThat(rows.out()).doesNotContain("2024-03-01");
        assertThat(line(keys, "2024-03-01  x")).endsWith("different");
    }

    @Test
    void aRowRemovedIsMissing() {
        assertThat(line(verify, "2024-03-02  y")).contains("missing", "wrong");
        assertThat(line(missing, "missing     2024-03-02")).contains("y", "b2", "1.jsonl", "3");
        assertThat(line(rows, "missing     2024-03-02")).contains("b2", "1.jsonl", "3");
        assertThat(line(keys, "2024-03-02  y")).endsWith("only in the control");
    }

    @Test
    void aRowAddedIsUnexpected() {
        assertThat(line(verify, "2024-03-03  ghost")).contains("extra", "wrong");
        assertThat(line(missing, "unexpected  2024-03-03")).contains("ghost", "no change of the history makes it");
        assertThat(line(rows, "unexpected  2024-03-03")).contains("ghost", "no change of the history makes it");
        assertThat(line(keys, "2024-03-03  ghost")).endsWith("only in the target");
    }

    @Test
    void errorsThatCancelEscapeSumsAndNothingElse() {
        assertThat(sums.out()).doesNotContain("2024-03-04");
        assertThat(keys.out())
                .contains(
                        "errors cancel in the sum, but row by row they are more than 0.50 % in 2024-03-04 (amount 6)");
        assertThat(line(keys, "2024-03-04  x")).endsWith("different");
        assertThat(verify.out()
                        .lines()
                        .filter(line -> line.startsWith("2024-03-04  "))
                        .count())
                .as("the partition's line, and one of each row")
                .isEqualTo(3);
        assertThat(missing.out()).doesNotContain("2024-03-04");
    }

    @Test
    void aPartitionEmptiedIsFoundByAllAndItsRowsAreNamed() {
        assertThat(verify.out().lines().filter(line -> line.startsWith("2024-03-05  ")))
                .anySatisfy(line -> assertThat(line).contains("x", "missing", "wrong"))
                .anySatisfy(line -> assertThat(line).contains("y", "missing", "wrong"));
        assertThat(missing.out().lines().filter(line -> line.startsWith("missing     2024-03-05")))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("e1"))
                .anySatisfy(line -> assertThat(line).contains("e2"));
        assertThat(rows.out().lines().filter(line -> line.startsWith("missing     2024-03-05")))
                .hasSize(2);
        assertThat(sums.out()).contains("2024-03-05 (nothing in the target)");
    }

    @Test
    void aRowThatIsThereTwiceIsDoubled() {
        assertThat(line(verify, "2024-03-06  x")).contains("repeated", "wrong");
        assertThat(line(missing, "doubled     2024-03-06")).contains("x", "f1", "2 rows of one key");
        assertThat(line(rows, "doubled     2024-03-06")).contains("f1", "2 rows of one key");
        assertThat(line(keys, "2024-03-06  x")).endsWith("more than once in the target");
        assertThat(sums.out()).contains("2024-03-06 (10 too much, 100.00 %)");
    }

    @Test
    void aRowOfAnEarlierRevisionIsTakenApartIntoTheChangesThatItLacks() {
        assertThat(line(verify, "2024-03-07  x")).contains("different", "wrong");
        assertThat(line(missing, "missing     2024-03-07"))
                .as("the one row that it lacks")
                .contains("x", "g2", "2.jsonl", "0");
        assertThat(line(missing, "stale       2024-03-07"))
                .as("the one row that it has in an older version")
                .contains("y", "h1", "2.jsonl", "the version of 1.jsonl @ ");
        assertThat(line(rows, "stale       2024-03-07")).contains("h1", "2.jsonl", "the version of 1.jsonl @ ");
    }

    @Test
    void whatIsFoundIsCountedByDayAndMinuteTheWorstFirstAndKept() throws SQLException {
        assertThat(List.of(verify, missing, sums, keys, rows))
                .allSatisfy(result -> assertThat(result.status()).isEqualTo(1));
        assertThat(missing.out()).contains("""
                missing         4   neither in the target nor in the ledger nor rejected
                stale           1   another version stands in their place
                doubled         1   in the target more often than in the source
                unexpected      1   in the target, and nothing stands behind them
                unresolved      0
                """);
        assertThat(missing.out()
                        .lines()
                        .dropWhile(line -> !line.startsWith("day "))
                        .skip(1)
                        .limit(2))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("2024-03-05        2"),
                        line -> assertThat(line).startsWith("2024-03-07        1      1"));
        assertThat(missing.out()).containsPattern("minute .*\n2024-03-0\\d 10:0\\d +\\d");
        assertThat(all("select kind || ' ' || partition || ' ' || coalesce(record_id, '-') || ' ' || (key ->> 'shop')"
                        + " from tidemark.missing_rows where run = (select run from tidemark.missing_runs where job = 'sales' order by run offset 1 limit 1)"
                        + " order by 1"))
                .containsExactly(
                        "doubled 2024-03-06 f1 x",
                        "missing 2024-03-02 b2 y",
                        "missing 2024-03-05 e1 x",
                        "missing 2024-03-05 e2 y",
                        "missing 2024-03-07 g2 x",
                        "stale 2024-03-07 h1 y",
                        "unexpected 2024-03-03 - ghost");
        assertThat(status.out())
                .contains("missing         7 rows: 4 missing, 1 stale, 1 doubled, 1 unexpected")
                .contains("warning: not every source row is where it should be");
    }

    @Test
    void aRunThatIsRepeatedAndChangesNothingSaysNothingAboutRowsThatAreMissing() throws SQLException {
        execute("delete from shop.sales_by_day t using shop.sales_by_day o where t.day = '2024-03-06' and o.day = t.day"
                + " and t.ctid > o.ctid");
        execute("alter table shop.sales_by_day add constraint sales_by_day_pkey primary key (day, shop)");
        run("run", "sales.yaml", "--parallelism", "1");

        Result again = run("run", "sales.yaml", "--parallelism", "1");
        Result complete = run("missing", "sales.yaml", "--format", "csv", "--from", "2024-03-02", "--to", "2024-03-05");

        assertThat(again.status()).as(again.err()).isEqualTo(0);
        assertThat(again.out()).contains("nothing new");
        assertThat(complete.status()).isEqualTo(1);
        assertThat(complete.out().lines().skip(1).map(row -> row.substring(0, row.indexOf(",\""))))
                .containsExactly(
                        "sales,missing,2024-03-02",
                        "sales,unexpected,2024-03-03",
                        "sales,missing,2024-03-05",
                        "sales,missing,2024-03-05");
    }

    @Test
    void aJobThatCannotBeLookedAtDoesNotHideTheOthers() throws IOException {
        tidemark.write("other.yaml", Tidemark.JOB.replace("job: sales", "job: other"));

        Result sweep = tidemark.runPlain(
                "missing", "--job", tidemark.path("other.yaml"), "--job", tidemark.path("sales.yaml"));

        assertThat(sweep.status()).isEqualTo(3);
        assertThat(sweep.err()).contains("tidemark: DIR/other.yaml: the warehouse", "does not know the job other");
        assertThat(sweep.out()).startsWith("job             sales\n");
    }

    /** The line of a command's output that begins so. */
    private static String line(Result result, String beginning) {
        return result.out()
                .lines()
                .filter(line -> line.startsWith(beginning))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line begins with '" + beginning + "' in\n" + result.out()));
    }

    private static Result run(String command, String job, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command, "--job", tidemark.path(job)));
        all.addAll(List.of(arguments));
        return tidemark.runPlain(all.toArray(String[]::new));
    }

    /** Records of one day, a minute after the other: id, shop, amount. */
    private static String lines(int day, String... records) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < records.length; i++) {
            String[] record = records[i].split(" ", -1);
            lines.append(line(
                    record[0],
                    record[1],
                    Integer.parseInt(record[2]),
                    day,
                    "2024-03-%02dT%s:%02d:30Z".formatted(day, "12", i)));
        }
        return lines.toString();
    }

    private static String line(String id, String shop, int amount, int day, String seen) {
        return "{\"id\": \"%s\", \"shop\": \"%s\", \"amount\": %d, \"at\": \"2024-03-%02dT10:0%d:00Z\", \"seen\": \"%s\"}\n"
                .formatted(id, shop, amount, day, amount % 10, seen);
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static List<String> all(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        }
    }
}
