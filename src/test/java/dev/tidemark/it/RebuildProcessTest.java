package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.kit.KafkaBroker;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rebuild} as a process of its own: killed in the middle of its transaction, and over a topic beside a stream. */
@Timeout(600)
class RebuildProcessTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final KafkaBroker KAFKA = new KafkaBroker();

    private static final String SCHEMA = """
            {"type": "record", "name": "Sale", "fields": [
              {"name": "id", "type": "string"},
              {"name": "shop", "type": "string"},
              {"name": "amount", "type": "int"},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
            """;
    private static final String JOB = """
            formatVersion: 1
            job: sales
            source: { schema: sale.avsc, format: json, %s }
            changes: { mode: upsert, id: id, version: seen }
            time: { event: at, observed: seen, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: 1 }
            target:
              table: shop.sales_by_day
              key: shop
              revisions: true
              columns:
                sales:  { count: {} }
                amount: { sum: amount }
            """;
    private static final String TARGET =
            "select day, shop, sales, amount, _revision, _pane from shop.sales_by_day order by 1, 2";
    /** Panes and revision numbers of a stream depend on when its checkpoints were. */
    private static final String REBUILT =
            "select day, shop, sales, amount, _pane = 'REBUILT' from shop.sales_by_day order by 1, 2";

    /** What a reader can see of the job, in all of its tables. */
    private static final List<String> VISIBLE = List.of(
            "select t.*, ctid, xmin from shop.sales_by_day t order by 1, 2",
            "select t.* from shop.sales_by_day_revisions t order by t::text",
            "select t.* from tidemark.publications t order by publication",
            "select t.* from tidemark.partitions t order by partition",
            "select t.* from tidemark.late_ledger t order by split, \"offset\", half");

    @TempDir
    Path folder;

    @BeforeEach
    void beginAnew() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        Files.writeString(folder.resolve("sale.avsc"), SCHEMA);
    }

    // ----------------------------------------------------------------------------------------------------- killed hard

    @ParameterizedTest
    @ValueSource(
            strings = {
                "shop.sales_by_day where shop = 'x' and day = '2024-03-10'",
                "tidemark.late_ledger",
                "tidemark.partitions where partition = '2024-03-10'"
            })
    void killedInMidTransactionItHasChangedNothingAndCanBeRepeated(String held) throws Exception {
        Files.createDirectories(folder.resolve("data"));
        job("files: { path: data }");
        Files.writeString(
                folder.resolve("data/1.jsonl"),
                String.join(
                        "\n",
                        sale("a", "x", 5, "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"),
                        sale("b", "y", 7, "2024-03-10T11:00:00Z", "2024-03-10T11:01:00Z"),
                        sale("c", "x", 7, "2024-03-12T10:00:00Z", "2024-03-12T10:01:00Z"),
                        sale("d", "x", 4, "2024-03-10T10:00:00Z", "2024-03-12T10:02:00Z"),
                        sale("b", "y", 9, "2024-03-12T11:00:00Z", "2024-03-12T11:03:00Z"),
                        ""));
        done("run");
        List<List<String>> before = visible();

        try (Connection other = POSTGRES.connect();
                Statement statement = other.createStatement();
                ChildProgram program = start("rebuild", "--all", "--lock-timeout", "5m")) {
            other.setAutoCommit(false);
            statement.execute("select 1 from " + held + " for update");
            await(
                    program,
                    "select count(*) > 0 from pg_stat_activity where datname = current_database()"
                            + " and application_name = 'tidemark rebuild sales' and wait_event_type = 'Lock'");
            assertThat(rows("select locked.mode from pg_locks locked"
                            + " join pg_stat_activity a on a.pid = locked.pid and a.datname = current_database()"
                            + " where a.application_name = 'tidemark rebuild sales' and locked.granted"
                            + " and locked.relation = 'tidemark.jobs'::regclass and locked.mode = 'RowShareLock'"))
                    .as("it is inside of its transaction, and holds the job")
                    .hasSize(1);
            assertThat(program.isAlive()).as(program.output()).isTrue();

            program.kill();

            assertThat(visible()).isEqualTo(before);
            other.rollback();
        }
        // The server notices that nobody is there any more when it has what it waited for.
        awaitNoSessions();
        assertThat(visible()).isEqualTo(before);
        assertThat(rows("select publication, finished_at, error from tidemark.rebuilds"))
                .containsExactly("null null null");
        assertThat(rows("select count(*) > 0 from tidemark.staged_parts"))
                .as("what it has staged, which nobody sees")
                .containsExactly("t");

        done("rebuild", "--all");

        assertThat(rows(TARGET))
                .containsExactly("2024-03-10 x 2 9 2 REBUILT", "2024-03-12 x 1 7 1 EARLY", "2024-03-12 y 1 9 1 EARLY");
        assertThat(rows("select status, resolved_by, count(*) from tidemark.late_ledger group by 1, 2"))
                .containsExactly("incorporated 2 2");
        assertThat(rows("select publication, error like 'it had not come to its end when the rebuild % began'"
                        + " from tidemark.rebuilds order by started_at"))
                .containsExactly("null t", "2 null");
        leavesNothing();
    }

    // ------------------------------------------------------------------------------------------------------- a topic

    @Test
    void closedPartitionsAreRebuiltFromTheTopicBesideItsStream() throws Exception {
        String topic = "sales";
        KAFKA.createTopic(topic, 2);
        job(topicOf(topic));
        KAFKA.send(topic, 0, "a", sale("a", "x", 5, "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"));
        KAFKA.send(topic, 0, "b", sale("b", "y", 7, "2024-03-10T11:00:00Z", "2024-03-10T11:01:00Z"));
        // A day at a time: a single record moves a frontier no further.
        KAFKA.send(topic, 0, "k", sale("k", "x", 1, "2024-03-11T10:00:00Z", "2024-03-11T10:01:00Z"));
        KAFKA.send(topic, 0, "c", sale("c", "x", 7, "2024-03-12T10:00:00Z", "2024-03-12T10:01:00Z"));
        KAFKA.send(topic, 1, "e", sale("e", "z", 2, "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"));
        KAFKA.send(topic, 1, "l", sale("l", "z", 1, "2024-03-11T10:00:00Z", "2024-03-11T10:01:00Z"));
        KAFKA.send(topic, 1, "f", sale("f", "z", 3, "2024-03-12T10:00:00Z", "2024-03-12T10:01:00Z"));

        try (ChildProgram stream = start("run", "--checkpoint-interval", "100ms")) {
            awaitRead(stream, 7);
            // Both logs have closed the tenth.
            await(stream, "select coalesce(max(closed_before) = '2024-03-11', false) from tidemark.publications");
            KAFKA.send(topic, 0, "d", sale("d", "x", 4, "2024-03-10T10:00:00Z", "2024-03-12T10:02:00Z"));
            KAFKA.send(topic, 0, "b", null);
            awaitRead(stream, 9);
            assertThat(rows(REBUILT)).startsWith("2024-03-10 x 1 5 f", "2024-03-10 y 1 7 f", "2024-03-10 z 1 2 f");
            assertThat(rows("select split, \"offset\", status from tidemark.late_ledger order by 1, 2"))
                    .containsExactly("sales-0 4 open", "sales-0 5 open");

            String summary = done("rebuild", "--from", "2024-03-10", "--to", "2024-03-10");

            assertThat(summary)
                    .contains("records read    9, ")
                    .contains("rows            written 1 (0 new), removed 1\n")
                    .contains("late changes    2 marked incorporated\n");
            assertThat(rows(REBUILT))
                    .startsWith("2024-03-10 x 2 9 t", "2024-03-10 z 1 2 f")
                    .hasSize(6);
            assertThat(rows("select l.split, l.\"offset\", l.status, p.kind from tidemark.late_ledger l"
                            + " join tidemark.publications p on p.job = l.job and p.publication = l.resolved_by"
                            + " order by 1, 2"))
                    .containsExactly("sales-0 4 incorporated rebuild", "sales-0 5 incorporated rebuild");

            KAFKA.send(topic, 1, "g", sale("g", "z", 4, "2024-03-12T11:00:00Z", "2024-03-12T11:01:00Z"));
            awaitRead(stream, 10);
            assertThat(stream.isAlive()).as(stream.output()).isTrue();
        }
        assertThat(rows(REBUILT)).hasSize(6).last().asString().startsWith("2024-03-12 z 2 7 ");
        assertThat(rows("select epoch from tidemark.jobs")).containsExactly("1");
    }

    @Test
    void whatTheTopicHasForgottenIsNotTakenForWhatNeverWas() throws Exception {
        String topic = "forgetful";
        KAFKA.createTopic(topic, 2);
        job(topicOf(topic));
        KAFKA.send(topic, 0, "a", sale("a", "x", 5, "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"));
        KAFKA.send(topic, 0, "b", sale("b", "y", 7, "2024-03-10T11:00:00Z", "2024-03-10T11:01:00Z"));
        KAFKA.send(topic, 0, "c", sale("c", "x", 7, "2024-03-12T10:00:00Z", "2024-03-12T10:01:00Z"));
        KAFKA.send(topic, 0, "h", sale("h", "x", 1, "2024-03-14T10:00:00Z", "2024-03-14T10:01:00Z"));
        KAFKA.send(topic, 1, "e", sale("e", "z", 2, "2024-03-10T10:00:00Z", "2024-03-10T10:01:00Z"));
        KAFKA.send(topic, 1, "g", sale("g", "z", 3, "2024-03-14T10:00:00Z", "2024-03-14T10:01:00Z"));
        done("rebuild", "--all");
        List<String> whole = rows(TARGET);
        assertThat(whole)
                .containsExactly(
                        "2024-03-10 x 1 5 1 REBUILT",
                        "2024-03-10 y 1 7 1 REBUILT",
                        "2024-03-10 z 1 2 1 REBUILT",
                        "2024-03-12 x 1 7 1 REBUILT",
                        "2024-03-14 x 1 1 1 REBUILT",
                        "2024-03-14 z 1 3 1 REBUILT");
        List<List<String>> before = visible();

        KAFKA.expire(topic, 0, 2);

        try (ChildProgram program = start("rebuild", "--from", "2024-03-10", "--to", "2024-03-12")) {
            assertThat(program.status()).as(program.output()).isEqualTo(3);
            assertThat(program.output())
                    .contains("tidemark: nothing is changed: the history (")
                    .contains(
                            "does not reach back to the beginning of the partitions from 2024-03-10 to 2024-03-12; the"
                                    + " first that it holds whole is 2024-03-13: rebuild from 2024-03-13 on, or name a history"
                                    + " that reaches further back, or say by wholeFrom what it holds");
        }
        assertThat(visible()).isEqualTo(before);
        try (ChildProgram program = start("rebuild", "--all")) {
            assertThat(program.status()).as(program.output()).isEqualTo(3);
            assertThat(program.output())
                    .contains("does not reach back to the beginning of the partitions up to 2024-03-12;");
        }
        assertThat(visible()).isEqualTo(before);
        leavesNothing();

        // What it still holds whole can be rebuilt.
        execute("update shop.sales_by_day set amount = 1000 where day = '2024-03-14'");
        done("rebuild", "--from", "2024-03-13", "--to", "2024-03-14");
        assertThat(rows("select day, shop, sales, amount from shop.sales_by_day order by 1, 2"))
                .isEqualTo(
                        whole.stream().map(row -> row.replace(" 1 REBUILT", "")).toList());
    }

    private static String topicOf(String topic) {
        return "kafka: { bootstrapServers: \"" + KAFKA.bootstrapServers() + "\", topic: " + topic + " }";
    }

    private void job(String source) throws IOException {
        Files.writeString(folder.resolve("sales.yaml"), JOB.formatted(source));
    }

    private static String sale(String id, String shop, int amount, String at, String seen) {
        return "{\"id\": \"" + id + "\", \"shop\": \"" + shop + "\", \"amount\": " + amount + ", \"at\": \"" + at
                + "\", \"seen\": \"" + seen + "\"}";
    }

    private ChildProgram start(String command, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(
                List.of(command, "--job", folder.resolve("sales.yaml").toString(), "--parallelism", "2"));
        all.addAll(List.of(arguments));
        return ChildProgram.start(folder, POSTGRES.address(), all.toArray(String[]::new));
    }

    /** Waits until a command is done, and gives what it printed. */
    private String done(String command, String... arguments) throws Exception {
        try (ChildProgram program = start(command, arguments)) {
            assertThat(program.status()).as(program.output()).isZero();
            return program.output();
        }
    }

    private static void awaitRead(ChildProgram stream, long records) throws Exception {
        await(stream, "select coalesce(sum(records_read), 0) = " + records + " from tidemark.publications");
    }

    /** Waits until a condition holds, as long as the process lives. */
    private static void await(ChildProgram program, String condition) throws Exception {
        while (!holds(condition)) {
            assertThat(program.isAlive()).as(program.output()).isTrue();
            Thread.sleep(20);
        }
    }

    /** While the program has not made its tables yet, nothing holds. */
    private static boolean holds(String condition) throws SQLException {
        return (condition.contains("pg_stat_activity")
                        || rows("select to_regclass('tidemark.publications') is not null")
                                .equals(List.of("t")))
                && rows(condition).equals(List.of("t"));
    }

    private static void awaitNoSessions() throws Exception {
        while (!holds("select count(*) = 0 from pg_stat_activity where datname = current_database()"
                + " and application_name like 'tidemark%'")) {
            Thread.sleep(20);
        }
    }

    private static void leavesNothing() throws Exception {
        awaitNoSessions();
        assertThat(rows("select count(*) from tidemark.staged_parts")).containsExactly("0");
        assertThat(rows("select count(*) from tidemark_staging.sales")).containsExactly("0");
        assertThat(rows("select locktype, mode from pg_locks where pid <> pg_backend_pid()"
                        + " and database = (select oid from pg_database where datname = current_database())"
                        + " and locktype in ('advisory', 'tuple')"))
                .isEmpty();
    }

    private static List<List<String>> visible() throws SQLException {
        List<List<String>> visible = new ArrayList<>();
        for (String sql : VISIBLE) {
            visible.add(rows(sql));
        }
        return visible;
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
