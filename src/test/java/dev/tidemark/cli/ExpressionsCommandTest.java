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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Derived fields, conditions and deletes of a job file, from the file into the table. */
final class ExpressionsCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void createJob() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB
                        .replace("changes: { mode: upsert, id: id, version: seen }", """
                        fields:
                          gross: amount * 1.19
                          place: upper(shop) || '-' || coalesce(note, 'none')
                        where: shop <> 'test' and amount is not null
                        changes: { mode: upsert, id: id, version: seen, delete: note like 'gone%' }
                        """.stripTrailing())
                        .replace("key: shop", "key: place")
                        .replace("note:   { latest: note }", """
                        gross:  { sum: gross }
                            large:  { count: {}, where: amount >= 10 }
                            small:  { max: gross, where: "not amount >= 10" }
                        """.stripTrailing()));
    }

    @Test
    void derivedFieldsAndConditionsReachTheTable() throws IOException, SQLException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 17, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "note": "ä", "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "test", "amount": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "e", "shop": "x", "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.status()).as(result.err()).isEqualTo(0);
        assertThat(rows("place, sales, amount, gross, large, small"))
                .containsExactly("X-none|2|22|26.18|1|5.95", "X-ä|1|7|8.33|0|8.33");
        assertThat(one("select applied from tidemark.publications")).isEqualTo("5");
    }

    @Test
    void aRowThatStopsMatchingIsTakenBackAndOlderOnesStayOut() throws IOException, SQLException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 1, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "amount": 2, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                """);
        tidemark.run("run", "--parallelism", "1");
        tidemark.write("data/2.jsonl", """
                {"id": "a", "shop": "test", "amount": 5, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:03:00Z"}
                {"id": "a", "shop": "x", "amount": 6, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:02:00Z"}
                {"id": "b", "note": "gone for good", "seen": "2024-03-12T10:03:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.status()).as(result.err()).isEqualTo(0);
        assertThat(rows("place, sales, amount")).containsExactly("X-none|1|2");
        assertThat(one("select applied || ' ' || superseded || ' ' || rejected from tidemark.publications"
                        + " order by publication desc limit 1"))
                .isEqualTo("2 1 0");
    }

    @Test
    void aFilteredRecordNeedsNoKeyAndAClosedPartitionKeepsItsRow() throws IOException, SQLException {
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 1, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "a", "shop": "test", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-12T10:03:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.status()).as(result.err()).isEqualTo(0);
        assertThat(rows("day, sales")).containsExactly("2024-03-10|1", "2024-03-12|1");
        assertThat(one("select op || ' ' || half || ' ' || reason || ' ' || record_id from tidemark.late_ledger"))
                .isEqualTo("delete whole outside-window a");
    }

    @Test
    void whatCannotBeComputedIsRejectedAndStopsNothing() throws IOException, SQLException {
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB
                        .replace("changes:", "fields: { share: 100 / amount }\nchanges:")
                        .replace("note:   { latest: note }", "share: { sum: share }"));
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 0, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "b", "shop": "x", "amount": 30, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.status()).as(result.err()).isEqualTo(0);
        assertThat(rows("shop, sales, share")).containsExactly("x|2|3");
        assertThat(one("select reason || ': ' || error from tidemark.rejected_changes"))
                .isEqualTo("out-of-range: field 'share': division by zero");
    }

    @Test
    void aRecordIsAskedOnlyForWhatDecidesAboutIt() throws IOException, SQLException {
        tidemark.write("sales.yaml", Tidemark.JOB.replace("changes:", "where: shop <> 'test'\nchanges:"));
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "test", "note": 5, "seen": "2024-03-12T10:01:00Z", "at": "2024-03-12T10:00:00Z"}
                {"id": "b", "shop": 7, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "c", "shop": "x", "note": 5, "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                {"id": "d", "shop": "x", "at": "2024-03-12T10:00:00Z", "seen": "2024-03-12T10:01:00Z"}
                """);

        Result result = tidemark.run("run", "--parallelism", "1");

        assertThat(result.status()).as(result.err()).isEqualTo(0);
        assertThat(rows("shop, sales")).containsExactly("x|1");
        assertThat(one("select string_agg(\"offset\" || ' ' || reason, ', ' order by \"offset\")"
                        + " from tidemark.rejected_changes"))
                .isEqualTo("1 undecodable, 2 undecodable");
        assertThat(one("select applied from tidemark.publications")).isEqualTo("2");
    }

    private List<String> rows(String columns) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("set datestyle = 'ISO'");
            List<String> rows = new ArrayList<>();
            try (ResultSet result =
                    statement.executeQuery("select concat_ws('|', " + columns + ") from shop.sales_by_day")) {
                while (result.next()) {
                    rows.add(result.getString(1));
                }
            }
            rows.sort(null);
            return rows;
        }
    }

    private static String one(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).as(sql).isTrue();
            return result.getString(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
