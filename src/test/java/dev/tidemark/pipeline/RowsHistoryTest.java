package dev.tidemark.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.publish.AsOf;
import dev.tidemark.publish.LogCut;
import dev.tidemark.source.EventRange;
import dev.tidemark.source.HistoryReach;
import dev.tidemark.source.SourceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows of a PostgreSQL, read in parallel, as records of JSON that the job's schema can be read by. */
@Timeout(600)
class RowsHistoryTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(4)
            .build());

    private static final Path SCHEMA = Path.of("src/test/resources/job/order-item.avsc");

    private static final String JOB = """
            formatVersion: 1
            job: items
            source: { schema: order-item.avsc, format: avro, %s }
            changes: { mode: %s, id: [order_id, line_number] %s }
            time: { event: ordered_at, observed: ingested_at, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: 3 }
            target: { table: items, key: product_id, columns: { %s } }
            history: { %s jdbc: { url: "%s", %s } }
            """;

    private static final String FILES = "files: { path: orders }";
    private static final String EVERY_COLUMN = """
            quantity: {latest: quantity}, units: {latest: units}, unit_price: {latest: unit_price},
            exact: {latest: exact}, net: {latest: net}, weight: {latest: weight}, score: {latest: score},
            removed: {latest: removed}, op: {latest: op}, status: {latest: status}, photo: {latest: photo},
            digest: {latest: digest}, shipped_on: {latest: shipped_on}, shipped_at: {latest: shipped_at},
            local_at: {latest: local_at}, trace: {latest: trace}""";

    @TempDir
    Path folder;

    private String versions = ", version: updated_at";
    private String mode = "upsert";
    private String source = FILES;
    private String columns = "n: {count: {}}";
    private String kind = "";

    @BeforeEach
    void table() throws SQLException, IOException {
        Files.copy(SCHEMA, folder.resolve("order-item.avsc"));
        execute("create type op as enum ('c', 'u', 'd')", """
                create table order_items (
                  order_id text, line_number int, product_id bigint, quantity smallint, units bigint,
                  unit_price numeric(12, 2), exact numeric, net numeric(28, 6), weight float8, score float4,
                  removed boolean, op op, status varchar(20), photo bytea, digest bytea, shipped_on date,
                  shipped_at time, ordered_at timestamptz, updated_at timestamptz, ingested_at timestamptz,
                  local_at timestamp, trace uuid, number bigint, split text, "Offset" int, kept timestamptz)""");
    }

    @AfterEach
    void drop() throws SQLException {
        execute("drop table order_items", "drop type op");
    }

    private static void execute(String... statements) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private static void insert(String... rows) throws SQLException {
        for (String row : rows) {
            execute("insert into order_items values (" + row + ")");
        }
    }

    /** So many plain rows, an hour apart; each tenth has no number. */
    private static void fill(int count) throws SQLException {
        execute(
                "insert into order_items (order_id, line_number, product_id, ordered_at, updated_at, ingested_at, number,"
                        + " split, \"Offset\", kept)"
                        + " select 'o' || i, 1, i % 7, timestamptz '2024-01-01Z' + i * interval '1 hour',"
                        + " timestamptz '2024-01-01Z', timestamptz '2024-01-01Z', case when i % 10 > 0 then i * i end,"
                        + " (i % 3)::text, i / 3, timestamptz '2024-01-01Z' + i * interval '1 second'"
                        + " from generate_series(0, " + (count - 1) + ") i");
    }

    private JobPlan plan(String place) throws IOException {
        String job = JOB.formatted(source, mode, versions, columns, kind, POSTGRES.address(), place);
        return JobFiles.read(Files.writeString(folder.resolve("job.yaml"), job), Map.of());
    }

    /** Each record as split, offset, Kafka's timestamp and text. */
    private static List<String> read(JobPlan plan, AsOf asOf, EventRange range, int parallelism) throws Exception {
        try (HistoryReading history = HistoryReading.begin(plan, asOf, range)) {
            assertThat(history.reach()).isEqualTo(HistoryReach.WHOLE);
            return texts(HistoryRecords.read(history, parallelism));
        }
    }

    private static List<String> texts(List<String> shown) {
        List<String> texts = new ArrayList<>();
        for (String record : shown) {
            String[] words = record.split(" ", -1);
            assertThat(words[0]).isEqualTo("RECORD");
            assertThat(record).contains(" key=none value damage=null schema=none ");
            texts.add(words[1] + " " + words[2] + " " + words[3] + " " + words[4] + " "
                    + new String(HexFormat.of().parseHex(words[words.length - 1]), StandardCharsets.UTF_8));
        }
        return texts;
    }

    private static String json(String text) {
        return text.substring(text.indexOf('{'));
    }

    private static String orders(List<String> texts) {
        return texts.stream()
                .map(text -> text.replaceAll(".*\"order_id\":\"o(\\d+)\".*", "$1"))
                .sorted(Comparator.comparingInt(Integer::parseInt))
                .reduce("", (all, each) -> all + " " + each)
                .strip();
    }

    private static Draft decoded(JobPlan plan, String json) {
        JobPlan over = plan.overHistory();
        Draft draft = new Draft(Reading.of(over).fields().size());
        RecordDecoder decoder = new Decoders().create(over);
        RawRecord record = new RawRecord();
        record.bytes = json.getBytes(StandardCharsets.UTF_8);
        record.length = record.bytes.length;
        record.wholeLength = record.length;
        decoder.decode(record, draft);
        return draft;
    }

    private static int slot(JobPlan plan, String field) {
        return Reading.of(plan.overHistory()).fields().stream()
                .map(Field::name)
                .toList()
                .indexOf(field);
    }

    @Test
    void everyTypeIsReadAsTheSchemaWantsIt() throws Exception {
        insert("""
                E'a"\\\\\\u00e4\\U0001F600\\n', -2147483648, 9223372036854775807, -32768, -9223372036854775808,
                9999999999.99, 12345678901234567890123456.7891, -1234567890123456789012.345678, 1e-300, 0.1,
                true, 'u', 'paid', decode('00ff10', 'hex'), decode('000102030405060708090a0b0c0d0e0f', 'hex'), '2024-02-29',
                '23:59:59.999999', '2024-03-10 01:02:03.456789+05:45', '2024-03-10 01:02:03.456789+00', '1969-12-31 23:59:59.9999Z',
                '2024-03-10 02:30:00.1239', '00112233-4455-6677-8899-aabbccddeeff'""");
        columns = EVERY_COLUMN;
        JobPlan plan = plan("table: order_items");

        String json = json(read(plan, AsOf.END, EventRange.ALL, 1).get(0));

        assertThat(json)
                .contains(
                        "\"unit_price\":\"9999999999.99\"",
                        "\"exact\":\"12345678901234567890123456.7891\"",
                        "\"score\":0.1",
                        "\"ordered_at\":\"2024-03-09T19:17:03.456+00:00\"",
                        "\"updated_at\":\"2024-03-10T01:02:03.456789+00:00\"",
                        "\"ingested_at\":\"1969-12-31T23:59:59.999+00:00\"",
                        "\"local_at\":\"2024-03-10T02:30:00.123\"",
                        "\"photo\":\"AP8Q\"");
        Draft draft = decoded(plan, json);
        assertThat(draft.error()).isNull();
        assertThat(draft.rejection()).isNull();
        for (Field field : plan.sourceFields()) {
            assertThat(draft.isNull(slot(plan, field.name()))).as(field.name()).isFalse();
        }
        assertThat(draft.fixed(slot(plan, "product_id"))).isEqualTo(Long.MAX_VALUE);
        assertThat(draft.fixed(slot(plan, "unit_price"))).isEqualTo(999_999_999_999L);
        assertThat(draft.doubleAt(slot(plan, "weight"))).isEqualTo(1e-300);
        assertThat(draft.doubleAt(slot(plan, "score"))).isEqualTo(0.1f);
        assertThat(draft.fixed(slot(plan, "shipped_at"))).isEqualTo(86_399_999_999L);
        assertThat(draft.length(slot(plan, "digest"))).isEqualTo(16);
        assertThat(draft.fixed(slot(plan, "ordered_at")))
                .isEqualTo(Instant.parse("2024-03-09T19:17:03.456Z").toEpochMilli() * 1000);
    }

    @Test
    void nullsAreNullsAndWhatNoSchemaHoldsIsLeftToBeRejected() throws Exception {
        columns = EVERY_COLUMN;
        execute("insert into order_items (order_id, line_number, product_id, ordered_at, ingested_at, updated_at)"
                + " values ('null', 1, 1, '2024-01-01Z', '2024-01-01Z', null),"
                + " ('infinite', 1, 1, 'infinity', '-infinity', '2024-01-01Z'),"
                + " ('before', 1, 1, '4713-01-01 BC', '2024-01-01Z', '2024-01-01Z'),"
                + " ('after', 1, 1, '294276-01-01Z', '2024-01-01Z', '2024-01-01Z')");
        execute(
                "update order_items set shipped_on = 'infinity', local_at = '-infinity', weight = 'NaN', score = '-Infinity',"
                        + " unit_price = 'NaN', shipped_at = '24:00'");
        JobPlan plan = plan("table: order_items");

        List<String> records = read(plan, AsOf.END, EventRange.ALL, 2);

        assertThat(records).hasSize(4);
        for (String record : records) {
            Draft draft = decoded(plan, json(record));
            assertThat(draft.rejection() != null
                            || IntStream.range(0, plan.sourceFields().size()).anyMatch(draft::isSpoiled))
                    .as(record)
                    .isTrue();
        }
        columns = "n: {count: {}}";
        JobPlan narrow = plan("table: order_items");
        for (String record : records) {
            Draft draft = decoded(narrow, json(record));
            if (record.contains("\"null\"")) {
                assertThat(draft.error()).isNull();
                assertThat(draft.isNull(slot(narrow, "updated_at"))).isTrue();
            } else {
                assertThat(draft.rejection() != null || draft.isSpoiled(slot(narrow, "ordered_at")))
                        .as(record)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "number, 8, 1",
        "number, 5, 4",
        "ordered_at, 7, 3",
        "kept, 100, 2",
        "line_number, 8, 2",
        "exact, 3, 1",
        "shipped_on, 4, 2",
        "local_at, 3, 2"
    })
    void isReadInRangesEachRowOnce(String splitBy, int splits, int parallelism) throws Exception {
        fill(200);
        execute("update order_items set exact = number / 3.0, shipped_on = ordered_at::date,"
                + " local_at = ordered_at at time zone 'UTC'");
        execute(
                "update order_items set exact = 'NaN', shipped_on = 'infinity', local_at = '-infinity', kept = 'infinity'"
                        + " where order_id in ('o3', 'o7')");
        JobPlan plan = plan("table: order_items, splitBy: %s, splits: %d".formatted(splitBy, splits));

        List<String> records = read(plan, AsOf.END, EventRange.ALL, parallelism);

        assertThat(orders(records))
                .isEqualTo(IntStream.range(0, 200)
                        .mapToObj(Integer::toString)
                        .reduce("", (all, each) -> all + " " + each)
                        .strip());
        assertThat(records.stream().map(record -> record.substring(0, record.indexOf(" time="))))
                .as("positions")
                .doesNotHaveDuplicates();
        if (!splitBy.equals("line_number")) {
            assertThat(records.stream().map(record -> record.split(" ", -1)[2]).distinct())
                    .hasSizeGreaterThan(2);
        }
    }

    @Test
    void anEmptyTableIsAnEmptyHistory() throws Exception {
        assertThat(read(plan("table: order_items, splitBy: number"), AsOf.END, EventRange.ALL, 2))
                .isEmpty();
    }

    @Test
    void aStatementSelectsWhatItLikes() throws Exception {
        fill(20);

        assertThat(orders(read(
                        plan("query: \"with i as (select *, product_id as p from order_items where product_id = 3)"
                                + " select * from i order by number; \", splitBy: p, splits: 2"),
                        AsOf.END,
                        EventRange.ALL,
                        2)))
                .isEqualTo("3 10 17");
    }

    @Test
    void everyRangeSeesOneSnapshot() throws Exception {
        fill(50);
        try (HistoryReading history =
                HistoryReading.begin(plan("table: order_items, splitBy: number"), AsOf.END, EventRange.ALL)) {
            execute("delete from order_items where number > 100", "update order_items set order_id = 'x'");

            assertThat(orders(texts(HistoryRecords.read(history, 3))).split(" ", -1))
                    .hasSize(50);
        }
    }

    @Test
    void whoBeganItMustStayUntilItIsRead() throws Exception {
        fill(5);
        HistoryReading history = HistoryReading.begin(plan("table: order_items"), AsOf.END, EventRange.ALL);
        history.close();

        assertThatThrownBy(() -> HistoryRecords.read(history, 1))
                .hasStackTraceContaining("the snapshot of the history is gone")
                .hasStackTraceContaining("the command that began to read it must stay until it is read");
    }

    @Test
    void eventTimesAreLeftToTheDatabaseWhereEachRowIsARecord() throws Exception {
        fill(100);
        EventRange day = new EventRange(Instant.parse("2024-01-02T00:00:00Z"), Instant.parse("2024-01-02T03:00:00Z"));

        kind = "kind: table,";
        assertThat(orders(read(plan("table: order_items"), AsOf.END, day, 1))).isEqualTo("24 25 26");
        EventRange from = new EventRange(Instant.parse("2024-01-05T00:00:00Z"), null);
        assertThat(read(plan("table: order_items, splitBy: number"), AsOf.END, from, 2))
                .hasSize(4);
        EventRange until = new EventRange(null, Instant.parse("2024-01-01T02:00:00Z"));
        assertThat(orders(read(plan("table: order_items"), AsOf.END, until, 1))).isEqualTo("0 1");
        kind = "";
        assertThat(read(plan("table: order_items"), AsOf.END, day, 1)).hasSize(100);
        mode = "append";
        versions = "";
        assertThat(orders(read(plan("table: order_items"), AsOf.END, day, 1))).isEqualTo("24 25 26");
    }

    @Test
    void rowsStandWhereTheyStoodInATopic() throws Exception {
        source = "kafka: { bootstrapServers: \"a:1\", topic: items, framing: raw }";
        fill(12);
        String place = "table: order_items, position: { split: split, offset: Offset, timestamp: kept }";
        AsOf published = AsOf.of(List.of(
                new LogCut("items-0", "items-0", 2, "", 0, LogCut.UNKNOWN),
                new LogCut("items-2", "items-2", 1, "", 0, LogCut.UNKNOWN)));

        List<String> records = read(plan(place), published, EventRange.ALL, 2);

        long start = Instant.parse("2024-01-01T00:00:00Z").getEpochSecond();
        assertThat(records.stream().map(record -> record.substring(0, record.indexOf(" {"))))
                .containsExactlyInAnyOrder(
                        "log=items-0 split=items-0 offset=0 time=" + start + "000000",
                        "log=items-0 split=items-0 offset=1 time=" + (start + 3) + "000000",
                        "log=items-2 split=items-2 offset=0 time=" + (start + 2) + "000000");
        execute("update order_items set split = 'items-' || split");
        assertThat(read(plan(place), published, EventRange.ALL, 1)).containsExactlyInAnyOrderElementsOf(records);
    }

    @Test
    void rowsStandWhereTheyStoodInFiles() throws Exception {
        source = "files: { path: orders, logs: folder }";
        fill(6);
        execute(
                "update order_items set split = case split when '0' then 'east/b' when '1' then 'east/a' else 'west/c' end");
        AsOf published = AsOf.of(List.of(new LogCut("east", "east/b", 1, "", 0, LogCut.UNKNOWN)));

        assertThat(read(
                                plan("table: order_items, position: { split: split, offset: Offset }"),
                                published,
                                EventRange.ALL,
                                1)
                        .stream()
                        .map(record -> record.substring(0, record.indexOf(" time="))))
                .containsExactlyInAnyOrder(
                        "log=east split=east/a offset=0",
                        "log=east split=east/a offset=1",
                        "log=east split=east/b offset=0");
    }

    @Test
    void aRowWithoutItsPositionStopsTheReading() throws Exception {
        fill(3);
        execute("update order_items set split = null where order_id = 'o1'");

        assertThatThrownBy(() -> read(
                        plan("table: order_items, position: { split: split, offset: Offset }"),
                        AsOf.END,
                        EventRange.ALL,
                        1))
                .hasStackTraceContaining("has no position: a column that history.jdbc.position names is null");
    }

    @Test
    void whatIsReadIsCounted() throws Exception {
        fill(30);
        try (HistoryReading history =
                HistoryReading.begin(plan("table: order_items, splitBy: number"), AsOf.END, EventRange.ALL)) {
            JobExecutionResult result = HistoryRecords.count(history, 2);

            assertThat(result.<Long>getAccumulatorResult(HistoryReading.RECORDS))
                    .isEqualTo(30);
            assertThat(result.<Long>getAccumulatorResult(HistoryReading.BYTES)).isGreaterThan(30 * 50);
        }
    }

    @Test
    void whatIsMissingOrOfAnotherTypeIsSaidAtOnceBeforeARowIsRead() throws Exception {
        execute(
                "alter table order_items drop column order_id",
                "alter table order_items alter column product_id type text",
                "alter table order_items alter column ordered_at type timestamp");
        JobPlan plan = plan("table: order_items, splitBy: nowhere, position: { split: split, offset: o }");

        assertThatThrownBy(() -> HistoryReading.begin(plan, AsOf.END, EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessageStartingWith("the history (table order_items) does not hold what the job reads: ")
                .hasMessageContaining("there is no column order_id (text)")
                .hasMessageContaining("the column product_id is text, not bigint")
                .hasMessageContaining("the column ordered_at is timestamp, not timestamp with time zone")
                .hasMessageContaining("there is no column nowhere, which history.jdbc.splitBy names")
                .hasMessageContaining("there is no column o, which history.jdbc.position.offset names")
                .hasMessageContaining("Its columns are line_number int4, product_id text")
                .hasMessageEndingWith("Name another table, or let a query give the columns their names and types");
    }

    @Test
    void whatCannotBeReadIsNamedWithoutItsPassword() throws Exception {
        JobPlan nowhere = plan("table: nowhere");
        assertThatThrownBy(() -> HistoryReading.begin(nowhere, AsOf.END, EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("the history (table nowhere in postgres at postgresql://localhost:")
                .hasMessageContaining("relation \"nowhere\" does not exist");
        String text = Files.readString(folder.resolve("job.yaml"));
        JobPlan closed = JobFiles.read(
                Files.writeString(
                        folder.resolve("closed.yaml"),
                        text.replace(POSTGRES.address(), "postgresql://me:hunter2@localhost:1/sales")),
                Map.of());
        assertThatThrownBy(() -> HistoryReading.begin(closed, AsOf.END, EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("me at postgresql://localhost:1/sales")
                .hasMessageNotContaining("hunter2");
        JobPlan unsplittable = plan("table: order_items, splitBy: order_id");
        assertThatThrownBy(() -> HistoryReading.begin(unsplittable, AsOf.END, EventRange.ALL))
                .isInstanceOf(SourceException.class)
                .hasMessageContaining("the column order_id, which history.jdbc.splitBy names, is text");
    }

    @Test
    void theJobIsReadAnywhereInItsOwnZone() throws Exception {
        // The database has a time zone and a style of dates of its own; see PostgresServer.
        fill(1);

        assertThat(read(plan("table: order_items"), AsOf.END, EventRange.ALL, 1))
                .singleElement()
                .asString()
                .contains("\"ordered_at\":\"2024-01-01T00:00:00+00:00\"");
    }
}
