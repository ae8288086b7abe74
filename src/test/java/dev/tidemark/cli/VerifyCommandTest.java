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
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code verify} says and finds, at its real entry point. */
@Timeout(300)
final class VerifyCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void beginAnew() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        execute("drop schema if exists tidemark, tidemark_staging, shop, archive cascade");
        // d is late for the 10th; b moves from there to the 12th.
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 7, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:01:00Z"}
                {"id": "e", "shop": "x", "amount": 1, "at": "2024-03-11T10:00:00Z", "seen": "2024-03-11T10:01:00Z"}
                {"id": "f", "shop": "y", "amount": 2, "at": "2024-03-11T10:00:00Z", "seen": "2024-03-11T10:02:00Z"}
                {"id": "g", "shop": "w", "amount": 3, "at": "2024-03-12T09:00:00Z", "seen": "2024-03-12T09:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "x", "amount": 4, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                {"id": "b", "shop": "y", "amount": 9, "at": "2024-03-12T11:00:00Z", "seen": "2024-03-12T11:03:00Z"}
                nothing
                """);
    }

    @Test
    void lateChangesThatAreOpenExplainWhatDiffers() throws Exception {
        run("run", "--parallelism", "1");

        Result result = run("verify");

        assertThat(result.out()).isEqualTo("""
                verified  everything, 3 partitions
                as of  publication 1, PUBLISHED; 0 files of the source beyond it
                history  DIR/data, 9 records, of which 1 do not count
                rows  5 equal, 0 missing, 1 extra, 1 different
                explained  2 by late changes that are open; see: tidemark ledger --job DIR/sales.yaml
                wrong  0
                took  0 ms

                partition  equal  missing  extra  different  explained  beyond-memory  wrong
                2024-03-10  0  0  1  1  2  0  0
                2024-03-11  2  0  0  0  0  0  0
                2024-03-12  3  0  0  0  0  0  0

                partition  shop  difference  verdict  column  expected  actual  accounted
                2024-03-10  x  different  explained  sales  2  1  1.jsonl @ 6
                2024-03-10  x  different  explained  amount  9  5  1.jsonl @ 6
                2024-03-10  x  different  explained  _members  2  1  1.jsonl @ 6
                2024-03-10  x  different  explained  _fingerprint  FINGERPRINT  FINGERPRINT  1.jsonl @ 6
                2024-03-10  y  extra  explained  -  -  -  1.jsonl @ 7
                """);
        assertThat(
                        rows(
                                "select publication, from_partition, to_partition, records, partitions, rows_equal, rows_missing,"
                                        + " rows_extra, rows_different, explained, beyond_memory, wrong, passed from tidemark.verifications"))
                .containsExactly("1 null null 9 3 5 0 1 1 2 0 0 t");
        assertThat(run("status").out()).contains("verified  passed, everything, as of publication 1, ");
        leavesNoScratch();
    }

    @Test
    void whatSomebodyDidToTheTargetIsFoundAndNamed() throws Exception {
        run("run", "--parallelism", "1");
        execute("create table shop.before as select * from shop.sales_by_day");
        tidemark.write("data/2.jsonl", """
                {"id": "g", "shop": "w", "amount": 8, "at": "2024-03-12T09:00:00Z", "seen": "2024-03-12T12:01:00Z"}
                """);
        run("run", "--parallelism", "1");
        // A partition emptied, a value changed, a row added, a row repeated, and an older truth put back.
        execute("delete from shop.sales_by_day where day = '2024-03-11'");
        execute("update shop.sales_by_day set amount = 700 where day = '2024-03-12' and shop = 'x'");
        execute("insert into shop.sales_by_day select day, 'q', sales, amount, note, 1, 1, 1, 'LATE', 1, now()"
                + " from shop.sales_by_day where day = '2024-03-12' and shop = 'x'");
        execute("alter table shop.sales_by_day drop constraint sales_by_day_pkey");
        execute(
                "insert into shop.sales_by_day select * from shop.sales_by_day where day = '2024-03-12' and shop = 'y'");
        execute("delete from shop.sales_by_day where day = '2024-03-12' and shop = 'w'");
        execute("insert into shop.sales_by_day select * from shop.before where day = '2024-03-12' and shop = 'w'");

        Result result = tidemark.run("verify", "--format", "csv", "--limit", "0");

        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out().lines().map(line -> line.replaceAll("-?\\d{15,}", "N")))
                .containsExactly(
                        "partition,key,difference,verdict,columns,accounted",
                        "2024-03-11,\"{\"\"shop\"\":\"\"x\"\"}\",missing,wrong,"
                                + columns("1", "null", "1", "null", "null"),
                        "2024-03-11,\"{\"\"shop\"\":\"\"y\"\"}\",missing,wrong,"
                                + columns("1", "null", "2", "null", "null"),
                        "2024-03-12,\"{\"\"shop\"\":\"\"q\"\"}\",extra,wrong,"
                                + "\"{\"\"sales\"\":{\"\"expected\"\":null,\"\"actual\"\":1},\"\"amount\"\":{\"\"expected\"\":null,\"\"actual\"\":700},"
                                + "\"\"note\"\":{\"\"expected\"\":null,\"\"actual\"\":null},\"\"_members\"\":{\"\"expected\"\":null,\"\"actual\"\":1},"
                                + "\"\"_fingerprint\"\":{\"\"expected\"\":null,\"\"actual\"\":1}}\",",
                        "2024-03-12,\"{\"\"shop\"\":\"\"w\"\"}\",different,wrong,"
                                + "\"{\"\"amount\"\":{\"\"expected\"\":8,\"\"actual\"\":3},"
                                + "\"\"_fingerprint\"\":{\"\"expected\"\":N,\"\"actual\"\":N}}\",",
                        "2024-03-12,\"{\"\"shop\"\":\"\"x\"\"}\",different,wrong,"
                                + "\"{\"\"amount\"\":{\"\"expected\"\":7,\"\"actual\"\":700}}\",",
                        "2024-03-12,\"{\"\"shop\"\":\"\"y\"\"}\",repeated,wrong,"
                                + "\"{\"\"sales\"\":{\"\"expected\"\":null,\"\"actual\"\":1},\"\"amount\"\":{\"\"expected\"\":null,\"\"actual\"\":9},"
                                + "\"\"note\"\":{\"\"expected\"\":null,\"\"actual\"\":null},\"\"_members\"\":{\"\"expected\"\":null,\"\"actual\"\":1},"
                                + "\"\"_fingerprint\"\":{\"\"expected\"\":null,\"\"actual\"\":N}}\",",
                        "2024-03-10,\"{\"\"shop\"\":\"\"x\"\"}\",different,explained,"
                                + "\"{\"\"sales\"\":{\"\"expected\"\":2,\"\"actual\"\":1},\"\"amount\"\":{\"\"expected\"\":9,\"\"actual\"\":5},"
                                + "\"\"_members\"\":{\"\"expected\"\":2,\"\"actual\"\":1},"
                                + "\"\"_fingerprint\"\":{\"\"expected\"\":N,\"\"actual\"\":N}}\",1.jsonl @ 6",
                        "2024-03-10,\"{\"\"shop\"\":\"\"y\"\"}\",extra,explained,"
                                + "\"{\"\"sales\"\":{\"\"expected\"\":null,\"\"actual\"\":1},\"\"amount\"\":{\"\"expected\"\":null,\"\"actual\"\":7},"
                                + "\"\"note\"\":{\"\"expected\"\":null,\"\"actual\"\":null},\"\"_members\"\":{\"\"expected\"\":null,\"\"actual\"\":1},"
                                + "\"\"_fingerprint\"\":{\"\"expected\"\":null,\"\"actual\"\":N}}\",1.jsonl @ 7");
        assertThat(rows("select rows_equal, rows_missing, rows_extra, rows_different, explained, wrong, passed"
                        + " from tidemark.verifications"))
                .containsExactly("1 2 3 3 2 6 f");
        assertThat(tidemark.run("status", "--check").out().replaceAll(" {3,}", "  "))
                .contains("warning: the target is not what its history says, as of publication 2: 6 rows wrong")
                .contains("verified  6 rows wrong, everything, as of publication 2, ");

        Result some = tidemark.run("verify", "--to", "2024-03-11", "--format", "json", "--partitions");
        assertThat(some.status()).isEqualTo(1);
        assertThat(some.out()).isEqualTo("""
                [
                {"partition":"2024-03-10","equal":0,"missing":0,"extra":1,"different":1,"explained":2,"beyond-memory":0,"wrong":0},
                {"partition":"2024-03-11","equal":0,"missing":2,"extra":0,"different":0,"explained":0,"beyond-memory":0,"wrong":2}
                ]
                """);
        assertThat(run("verify", "--from", "2024-03-10", "--to", "2024-03-10").err())
                .contains("reading the history");
    }

    private static String columns(
            String sales, String actualSales, String amount, String actualAmount, String members) {
        return "\"{\"\"sales\"\":{\"\"expected\"\":" + sales + ",\"\"actual\"\":" + actualSales
                + "},\"\"amount\"\":{\"\"expected\"\":" + amount + ",\"\"actual\"\":" + actualAmount
                + "},\"\"note\"\":{\"\"expected\"\":null,\"\"actual\"\":null},\"\"_members\"\":{\"\"expected\"\":1,\"\"actual\"\":"
                + members + "},\"\"_fingerprint\"\":{\"\"expected\"\":N,\"\"actual\"\":null}}\",";
    }

    @Test
    void onlyOpenLedgerRowsExplain() throws Exception {
        run("run", "--parallelism", "1");
        run("ledger dismiss", "--partition", "2024-03-10", "--note", "not wanted");

        Result dismissed = tidemark.run("verify");

        assertThat(dismissed.status()).isEqualTo(1);
        assertThat(dismissed.out().replaceAll(" {3,}", "  "))
                .contains("wrong  2\n")
                .contains("2024-03-10  y  extra  wrong  -  -  -  -\n");

        run("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");

        assertThat(run("verify").out())
                .contains("as of  publication 2, ")
                .contains("rows  6 equal, 0 missing, 0 extra, 0 different\n");

        execute("update tidemark.late_ledger set status = 'incorporated'");
        execute("update shop.sales_by_day set sales = 1, amount = 5, _members = 1 where day = '2024-03-10'");
        assertThat(tidemark.run("verify").status())
                .as("what was brought in and is gone again")
                .isEqualTo(1);
    }

    /** Of the 11th what was known then: what came for the 10th afterwards is not in it, and need not be. */
    @Test
    void globalColumnsAreHeldToWhatWasKnownToThePublicationThatWroteThem() throws Exception {
        tidemark.write(
                "sales.yaml", Tidemark.JOB.replace("  columns:\n", "  columns:\n    so_far: { runningSum: amount }\n"));
        run("run", "--parallelism", "1");
        tidemark.write("data/2.jsonl", """
                {"id": "h", "shop": "x", "amount": 100, "at": "2024-03-11T09:00:00Z", "seen": "2024-03-12T12:01:00Z"}
                """);
        run("run", "--parallelism", "1");
        assertThat(
                        rows(
                                "select to_char(day, 'DD'), so_far, _publication from shop.sales_by_day where shop = 'x' order by 1"))
                .containsExactly("10 5 1", "11 106 2", "12 13 1");

        assertThat(run("verify").out())
                .contains("rows  5 equal, 0 missing, 1 extra, 1 different\n")
                .contains("global columns  as of the publications that wrote the rows: 7 equal, 0 different\n")
                .contains("wrong  0\n");

        execute("update shop.sales_by_day set so_far = 113 where shop = 'x' and day = '2024-03-12'");
        Result result = tidemark.run("verify", "--from", "2024-03-12", "--to", "2024-03-12");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out().replaceAll(" {3,}", "  "))
                .contains("rows  3 equal, 0 missing, 0 extra, 0 different\n")
                .contains("global columns  as of the publications that wrote the rows: 2 equal, 1 different\n")
                .contains("wrong  1\n")
                .contains("2024-03-12  x  different  wrong  so_far  13  113  -\n");
        assertThat(tidemark.run("verify", "--from", "2024-03-12", "--format", "csv")
                        .out())
                .contains("2024-03-12,\"{\"\"shop\"\":\"\"x\"\"}\",different,wrong,"
                        + "\"{\"\"so_far\"\":{\"\"expected\"\":13,\"\"actual\"\":113}}\",");

        // A rebuild writes the row as of its own positions, where all changes count.
        run("rebuild", "--all");
        assertThat(rows("select so_far from shop.sales_by_day where shop = 'x' order by day"))
                .containsExactly("9", "110", "117");
        assertThat(run("verify").out()).contains(" 6 equal, 0 different\n").contains("wrong  0\n");
    }

    @Test
    void recordsThatWereForgottenAreSaid() throws Exception {
        // Remembered for 2 days; m was forgotten when it moved, and its copy on the 5th stayed.
        tidemark.write("data/0.jsonl", """
                {"id": "m", "shop": "x", "amount": 5, "at": "2024-03-05T10:00:00Z", "seen": "2024-03-05T10:01:00Z"}
                {"id": "n", "shop": "x", "amount": 6, "at": "2024-03-05T10:00:00Z", "seen": "2024-03-05T10:02:00Z"}
                """);
        tidemark.write("data/2.jsonl", """
                {"id": "m", "shop": "x", "amount": 5, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T12:01:00Z"}
                """);
        run("run", "--parallelism", "1");

        Result result = run("verify", "--from", "2024-03-05", "--to", "2024-03-05");

        assertThat(result.out())
                .contains("verified  2024-03-05, 1 partition\n")
                .contains("beyond-memory  1 of records that were forgotten between two changes; rebuild mends them\n")
                .contains("2024-03-05  x  different  beyond-memory  sales  1  2  m\n")
                .contains("wrong  0\n");
        run("rebuild", "--from", "2024-03-05", "--to", "2024-03-05");
        assertThat(run("verify", "--to", "2024-03-05").out())
                .contains("rows  1 equal, 0 missing, 0 extra, 0 different\n");
    }

    @Test
    void aTargetThatOnlyRebuildsHaveFilledIsVerifiedAsOfThem() throws Exception {
        run("rebuild", "--all");
        tidemark.write("data/2.jsonl", """
                {"id": "h", "shop": "x", "amount": 8, "at": "2024-03-11T09:00:00Z", "seen": "2024-03-12T12:01:00Z"}
                {"id": "i", "shop": "x", "amount": 8, "at": "2024-03-12T09:00:00Z", "seen": "2024-03-12T12:02:00Z"}
                """);
        run("rebuild", "--from", "2024-03-12", "--to", "2024-03-12");
        tidemark.write("data/3.jsonl", """
                {"id": "j", "shop": "x", "amount": 8, "at": "2024-03-12T09:00:00Z", "seen": "2024-03-12T12:03:00Z"}
                """);

        Result result = run("verify");

        assertThat(result.out())
                .contains("rows  5 equal, 0 missing, 0 extra, 1 different\n")
                .contains("2024-03-11  x  different  explained  sales  2  1  2.jsonl @ 0\n")
                .contains("wrong  0\n");
    }

    @Test
    void rowsOfADatabaseAreAHistoryToo() throws Exception {
        execute("create schema archive");
        execute("create table archive.sales (file text, line int, id text, shop text, amount int, note text,"
                + " at timestamptz, seen timestamptz)");
        execute("""
                insert into archive.sales values
                ('1.jsonl', 0, 'a', 'x', 5, null, '2024-03-10 10:00Z', '2024-03-10 10:01Z'),
                ('1.jsonl', 1, 'b', 'y', 7, null, '2024-03-10 11:00Z', '2024-03-10 11:01Z'),
                ('1.jsonl', 2, 'e', 'x', 1, null, '2024-03-11 10:00Z', '2024-03-11 10:01Z'),
                ('1.jsonl', 3, 'f', 'y', 2, null, '2024-03-11 10:00Z', '2024-03-11 10:02Z'),
                ('1.jsonl', 4, 'g', 'w', 3, null, '2024-03-12 09:00Z', '2024-03-12 09:01Z'),
                ('1.jsonl', 5, 'c', 'x', 7, null, '2024-03-12 10:00Z', '2024-03-12 10:01Z'),
                ('1.jsonl', 6, 'd', 'x', 4, null, '2024-03-10 10:00Z', '2024-03-12 10:02Z'),
                ('1.jsonl', 7, 'b', 'y', 9, null, '2024-03-12 11:00Z', '2024-03-12 11:03Z'),
                ('2.jsonl', 0, 'z', 'y', 9, null, '2024-03-12 11:00Z', '2024-03-12 11:04Z')""");
        history(
                "kind: changes, jdbc: { URL, table: archive.sales, splitBy: line, position: { split: file, offset: line } }");
        run("run", "--parallelism", "1");

        assertThat(run("verify").out())
                .contains("as of  publication 1, PUBLISHED; 0 files of the source beyond it\n")
                .contains("history  table archive.sales, 8 records\n")
                .contains("rows  5 equal, 0 missing, 1 extra, 1 different\n")
                .contains("explained  2 ");

        // A table of the present state: which change was late cannot be told in it.
        execute("delete from archive.sales where id = 'z' or (id = 'b' and amount = 7)");
        history("kind: table, jdbc: { URL, table: archive.sales, splitBy: seen, splits: 3 }");
        assertThat(run("verify").out())
                .contains("; the history has no positions: all that it holds now is taken\n")
                .contains("rows  5 equal, 0 missing, 1 extra, 1 different\n")
                .contains("explained  2 ")
                .contains("2024-03-10  y  extra  explained  -  -  -  1.jsonl @ 7\n");
        execute("update archive.sales set amount = 70 where id = 'c'");
        assertThat(tidemark.run("verify").status()).isEqualTo(1);
    }

    @Test
    void whatCannotBeVerifiedIsRefusedWithTheWayOut() throws Exception {
        assertFailed(
                tidemark.run("verify"), 3, "does not know the job sales: run `tidemark init` or `tidemark run` first");
        run("init");
        assertFailed(tidemark.run("verify"), 3, "the job sales has published nothing yet: there is nothing to verify");
        assertFailed(
                tidemark.run("verify", "--from", "2024-03-12", "--to", "2024-03-11"),
                2,
                "--from 2024-03-12 is later than --to 2024-03-11");
        assertFailed(
                tidemark.run("verify", "--from", "yesterday"),
                2,
                "--from: 'yesterday' is not a date such as 2024-03-10");
        assertFailed(tidemark.run("verify", "--memory", "10"), 2, "--memory must be 128 or more megabytes, not 10");
        assertFailed(
                tidemark.run("verify", "--parallelism", "0"), 2, "--parallelism must lie between 1 and 128, not 0");
        run("run", "--parallelism", "1");
        Files.writeString(folder.resolve("data/1.jsonl"), "");
        assertFailed(
                tidemark.run("verify"),
                3,
                "the history (DIR/data) has changed: the changes before 1.jsonl @ 9 are published, but it has none of them."
                        + " Nothing can be said of the target; put the files back");
        leavesNoScratch();
    }

    private void history(String words) throws IOException {
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB + "history: { " + words.replace("URL", "url: \"" + POSTGRES.address() + "\"") + " }\n");
    }

    /** A command that is done; what differs from run to run is masked. */
    private Result run(String command, String... arguments) {
        Result result = tidemark.run(command, arguments);
        assertThat(result.status()).as(result.err() + result.out()).isZero();
        return new Result(
                result.status(),
                result.out()
                        .replaceAll("(publication \\d+, )\\d{4}-[^;]+", "$1PUBLISHED")
                        .replaceAll("-?\\d{15,}", "FINGERPRINT")
                        .replaceAll(" {3,}", "  "),
                result.err());
    }

    private static void assertFailed(Result result, int status, String message) {
        assertThat(result.err()).contains(message);
        assertThat(result.status()).isEqualTo(status);
    }

    private void leavesNoScratch() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("local/scratch"))) {
            assertThat(left).isEmpty();
        }
    }

    private static List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    values.add(String.valueOf(row.getString(i)));
                }
                rows.add(String.join(" ", values));
            }
        }
        return rows;
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
