package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan.Deletion;
import dev.tidemark.job.JobPlan.FrontierKind;
import dev.tidemark.job.JobPlan.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What one key says is checked against the others and against the schema. */
class JobRefusalsTest {
    @TempDir
    private Path folder;

    private JobText least;

    @BeforeEach
    void leastJob() {
        least = JobText.least(folder);
    }

    // ---- source

    @Test
    void refusesToWatchAFileAndLogsInAFile() throws IOException {
        Files.writeString(folder.resolve("orders"), "");

        assertThat(least.with("{ path: orders }", "{ path: orders, watch: 2s, logs: folder }")
                        .problems())
                .containsExactly(
                        "6: source.files.watch: a single file cannot be watched; expected a path to a folder",
                        "6: source.files.logs: a single file has no folders; expected a path to a folder of folders");
    }

    @Test
    void takesAUriAsItIs() {
        assertThat(least.with("{ path: orders }", "{ path: 's3://bucket/orders/', watch: 2s }")
                        .plan()
                        .source()
                        .path())
                .isEqualTo("s3://bucket/orders/");
    }

    @Test
    void refusesASchemaThatDoesNotExist() {
        assertThat(least.with("order-item.avsc", "other.avsc").problems())
                .containsExactly("4: source.schema: 'other.avsc' does not exist");
    }

    @Test
    void refusesASchemaThatIsNone() throws IOException {
        Files.writeString(folder.resolve("order-item.avsc"), "{\"type\": \"recrod\"}");

        assertThat(least.problems())
                .singleElement()
                .asString()
                .startsWith("4: source.schema: 'order-item.avsc' is not an Avro schema: ");
    }

    @Test
    void refusesASchemaThatIsNoRecord() throws IOException {
        Files.writeString(folder.resolve("order-item.avsc"), "\"string\"");

        assertThat(least.problems())
                .containsExactly("4: source.schema: 'order-item.avsc' is the Avro schema of a string, not of a record");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            week  | 2026-01-06 | 7: source.wholeFrom: 2026-01-06 is inside of a week; expected a Monday
            month | 2026-01-02 | 7: source.wholeFrom: 2026-01-02 is inside of a month; expected the first day of a month
            day   | 2026-02-29 | 7: source.wholeFrom: '2026-02-29' is not allowed; expected a date such as 2026-01-31
            day   | 0000-01-01 | 7: source.wholeFrom: '0000-01-01' is not allowed; expected a date such as 2026-01-31
            """)
    void refusesAWholeFromThatBeginsNoPartition(String grain, String date, String problem) {
        assertThat(least.with("grain: day", "grain: " + grain)
                        .after("  files:", "  wholeFrom: " + date)
                        .problems())
                .containsExactly(problem);
    }

    @Test
    void takesAWholeFromThatBeginsAPartition() {
        assertThat(least.with("grain: day", "grain: week")
                        .after("  files:", "  wholeFrom: 2026-01-05")
                        .plan()
                        .partition()
                        .wholeFrom())
                .isEqualTo("2026-01-05");
    }

    // ---- changes

    @Test
    void upsertWithoutIdIsRefused() {
        assertThat(least.with("  id: [order_id, line_number]\n", "").problems())
                .containsExactly("7: changes.id: is missing; mode upsert needs the fields that identify a record");
    }

    @Test
    void appendKnowsNeitherVersionNorDelete() {
        assertThat(least.with("mode: upsert", "mode: append")
                        .after("  id:", "  version: updated_at\n  delete: removed")
                        .problems())
                .containsExactly(
                        "10: changes.version: mode append has no versions; remove version, or choose mode upsert",
                        "11: changes.delete: mode append has no deletes; remove delete, or choose mode upsert");
    }

    @Test
    void appendNeedsNoId() {
        assertThat(least.with("mode: upsert", "mode: append")
                        .with("  id: [order_id, line_number]\n", "")
                        .plan()
                        .changes()
                        .hasId())
                .isFalse();
        assertThat(least.with("mode: upsert", "mode: append").plan().changes().mode())
                .isEqualTo(Mode.APPEND);
    }

    @Test
    void versionPositionIsNoField() {
        assertThat(least.after("  id:", "  version: position").plan().changes().version())
                .isEmpty();
        assertThat(least.after("  id:", "  version: [updated_at, position]").problems())
                .singleElement()
                .asString()
                .startsWith("10: changes.version[1]: field 'position' is not in the schema; fields: ");
    }

    @Test
    void aFieldIsNamedOnce() {
        assertThat(least.with("[order_id, line_number]", "[order_id, order_id]").problems())
                .containsExactly("9: changes.id[1]: field 'order_id' is named twice; expected each field once");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order_id",
                "line_number",
                "product_id",
                "unit_price",
                "exact",
                "removed",
                "op",
                "status",
                "photo",
                "digest",
                "shipped_on",
                "shipped_at",
                "updated_at",
                "local_at",
                "trace"
            })
    void takesEveryExactTypeForIdVersionAndKey(String field) {
        JobText text = least.with("[order_id, line_number]", field)
                .after("  id:", "  version: " + field)
                .with("key: product_id", "key: " + field);

        assertThat(text.plan().target().key())
                .singleElement()
                .isEqualTo(text.plan().changes().id().get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"weight", "score"})
    void refusesFloatingPointForIdVersionAndKey(String field) {
        assertThat(least.with("[order_id, line_number]", field)
                        .after("  id:", "  version: " + field)
                        .with("key: product_id", "key: " + field)
                        .problems())
                .hasSize(3)
                .allSatisfy(problem -> assertThat(problem)
                        .endsWith("and floating-point numbers are not told apart exactly; choose a field of another"
                                + " type"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            tags      | an array
            labels    | a map
            mixed     | a union of null, int, string
            """)
    void refusesWhatAJobCannotRead(String field, String described) {
        assertThat(least.with("key: product_id", "key: " + field).problems())
                .containsExactly("20: target.key: field '" + field + "' is " + described + ", which a job cannot read;"
                        + " expected boolean, int, long, float, double, string, enum, bytes, fixed, date, time,"
                        + " timestamp in milli- or microseconds, decimal or uuid, or a union of one of them with"
                        + " null");
    }

    @Test
    void namesTheFieldsOfARecordThatStandsForAValue() {
        assertThat(least.with("key: product_id", "key: address").problems())
                .containsExactly("20: target.key: field 'address' is a record, which a job cannot read;"
                        + " expected one of its fields: address.city");
    }

    @Test
    void saysHowNanosecondsCanBeRead() {
        assertThat(least.with("key: product_id", "key: traced_at").problems())
                .singleElement()
                .asString()
                .startsWith("20: target.key: field 'traced_at' is a timestamp-nanos, which a job cannot read; expected")
                .endsWith(
                        "; this schema may say microseconds where the records have nanoseconds, which are then cut off");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            removed              | removed | ``
            op = 'd'             | op      | d
            status='it''s gone'  | status  | it's gone
            status = ''          | status  | ``
            """)
    void readsDeletes(String written, String field, String literal) {
        Deletion deletion =
                least.after("  id:", "  delete: " + written).plan().changes().delete();

        assertThat(deletion).isNotNull().satisfies(delete -> {
            assertThat(delete.condition().fields()).extracting(Field::name).containsExactly(field);
            assertThat(delete.condition().sql())
                    .isEqualTo(
                            written.equals("removed")
                                    ? "removed"
                                    : "(" + field + " = '" + literal.replace("'", "''") + "')");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            quantity       | at column 1: field 'quantity' is integer, not boolean; expected a condition
            quantity = 'x' | at column 12: 'x' is no integer; expected an integer in digits
            op = 'D'       | at column 6: 'D' is no symbol of field 'op'; did you mean 'd'? symbols: c, u, d
            op = 'it's'    | at column 10: 's' is not expected here; expected an SQL expression
            """)
    void refusesOtherDeletes(String written, String problem) {
        assertThat(least.after("  id:", "  delete: " + written).problems())
                .containsExactly("10: changes.delete: " + problem);
    }

    // ---- time

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            epoch_millis | a long, not a timestamp; expected a timestamp-millis or timestamp-micros field; if it counts milliseconds, say so in the schema: {"type": "long", "logicalType": "timestamp-millis"}
            local_at     | a local-timestamp-millis, not a timestamp; expected a timestamp-millis or timestamp-micros field; a local timestamp does not say which instant it is: of the hour that clocks repeat it names two, of the hour that they skip none. Let the record carry the instant
            shipped_on   | a date, not a timestamp; expected a timestamp-millis or timestamp-micros field
            order_id     | a string, not a timestamp; expected a timestamp-millis or timestamp-micros field
            """)
    void eventAndObservedAreInstants(String field, String problem) {
        assertThat(least.with("event: ordered_at", "event: " + field)
                        .with("observed: ingested_at", "observed: " + field)
                        .problems())
                .containsExactly(
                        "11: time.event: field '" + field + "' is " + problem,
                        "12: time.observed: field '" + field + "' is " + problem);
    }

    @Test
    void filesHaveNoKafkaTimestamp() {
        assertThat(least.with("observed: ingested_at", "observed: kafka-timestamp")
                        .problems())
                .containsExactly(
                        "12: time.observed: files have no kafka-timestamp; expected a timestamp field or none");
    }

    @Test
    void anObservedFrontierNeedsAnObservedTime() {
        assertThat(least.with("observed: ingested_at", "observed: none").problems())
                .containsExactly("13: time.frontier: a frontier by observed time needs an observed time, but observed"
                        + " is none; name the observed field, or choose frontier event");
    }

    @Test
    void outOfOrdernessIsForTheEventFrontierOnly() {
        assertThat(least.after("  frontier:", "  outOfOrderness: 2s").problems())
                .containsExactly(
                        "14: time.outOfOrderness: only frontier event knows it; remove it, or choose frontier event");
        assertThat(least.with("frontier: observed", "frontier: event")
                        .plan()
                        .time()
                        .frontier())
                .isEqualTo(FrontierKind.EVENT);
    }

    @Test
    void theFrontierHasNoDefault() {
        assertThat(least.with("  frontier: observed\n", "").problems())
                .containsExactly("10: time.frontier: is missing; expected observed or event");
    }

    // ---- partition

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            +02:00           | '+02:00' is a fixed offset, which knows no summer time; expected
            UTC+2            | 'UTC+2' is a fixed offset, which knows no summer time; expected
            GMT-05:00        | 'GMT-05:00' is a fixed offset, which knows no summer time; expected
            Z                | 'Z' is a fixed offset, which knows no summer time; expected
            America/New York | 'America/New York' is no time zone; did you mean 'America/New_York'? expected
            SystemV/EST5EDT  | 'SystemV/EST5EDT' is no time zone; expected
            CEST             | 'CEST' is no time zone; did you mean
            """)
    void refusesWhatIsNoRegion(String zone, String problem) {
        assertThat(least.with("zone: America/New_York", "zone: \"" + zone + "\"")
                        .problems())
                .singleElement()
                .asString()
                .startsWith("16: partition.zone: " + problem)
                .endsWith("expected an IANA time zone such as America/New_York, or UTC");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia", "Etc/UTC"})
    void takesRegions(String zone) {
        assertThat(least.with("zone: America/New_York", "zone: " + zone)
                        .plan()
                        .partition()
                        .zone()
                        .getId())
                .isEqualTo(zone);
    }

    @Test
    void retainIsAtLeastTheLookback() {
        assertThat(least.after("  lookback:", "  retain: 2").problems())
                .containsExactly(
                        "18: partition.retain: is 2, less than the lookback of 3; expected at least the lookback");
        assertThat(least.after("  lookback:", "  retain: 3").plan().partition().retain())
                .isEqualTo(3);
    }

    @Test
    void aLookbackOfNoPartitionStillLetsTheFrontierAdvance() {
        JobText none = least.with("lookback: 3", "lookback: 0");

        assertThat(none.plan().time().maxAdvance()).isEqualTo(1);
        assertThat(none.plan().partition().retain()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"hour,hour", "day,day", "week,day", "month,day"})
    void thePartitionColumnIsCalledByTheGrain(String grain, String column) {
        assertThat(least.with("grain: day", "grain: " + grain)
                        .plan()
                        .partition()
                        .column())
                .isEqualTo(column);
    }

    // ---- target

    @ParameterizedTest
    @ValueSource(
            strings = {"_revision", "_members", "_fingerprint", "_pane", "_publication", "_published_at", "_removed"})
    void ownColumnsAreReserved(String name) {
        assertThat(least.column(name + ": { count: {} }").problems())
                .containsExactly("22: target.columns." + name + ": '" + name
                        + "' is one of Tidemark's own columns; choose another name");
        assertThat(least.after("  lookback:", "  column: " + name).problems())
                .containsExactly(
                        "18: partition.column: '" + name + "' is one of Tidemark's own columns; choose another name");
    }

    @Test
    void systemColumnsOfPostgresqlAreReserved() {
        assertThat(least.with("key: product_id", "key: xmin")
                        .column("ctid: { count: {} }")
                        .problems())
                .containsExactly(
                        "20: target.key: 'xmin' is one of PostgreSQL's own columns; choose another name",
                        "22: target.columns.ctid: 'ctid' is one of PostgreSQL's own columns; choose another name");
    }

    @Test
    void aNameIsThereOnce() {
        assertThat(least.with("key: product_id", "key: [product_id, day]")
                        .column("product_id: { count: {} }")
                        .problems())
                .containsExactly(
                        "20: target.key[1]: 'day' is the name of the partition column too; give partition.column"
                                + " another name",
                        "22: target.columns.product_id: 'product_id' is the name of a key column too; choose another"
                                + " name");
        assertThat(least.column("day: { count: {} }").problems())
                .containsExactly("22: target.columns.day: 'day' is the name of the partition column too; choose"
                        + " another name");
    }

    @Test
    void aNameIsAtMost63BytesOfLettersDigitsAndUnderscores() {
        String longest = "x".repeat(63);
        assertThat(least.column(longest + ": { count: {} }").plan().target().columns())
                .hasSize(1);
        assertThat(least.column(longest + "x: { count: {} }").problems())
                .containsExactly("22: target.columns." + longest + "x: column name '" + longest
                        + "x' is too long; expected at most 63 bytes");
        assertThat(least.column("a.b: { count: {} }").problems())
                .containsExactly("22: target.columns.a.b: 'a.b' is no column name; expected letters, digits and"
                        + " underscores, not beginning with a digit");
        assertThat(least.column("größe: { count: {} }").problems())
                .containsExactly("22: target.columns.größe: 'größe' is no column name; expected letters, digits and"
                        + " underscores, not beginning with a digit");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sales.           | 'sales.' is no table name; expected table or schema.table, each of letters, digits and underscores, not beginning with a digit
            tidemark.x       | schema 'tidemark' is not for targets; choose another schema
            pg_catalog.x     | schema 'pg_catalog' is not for targets; choose another schema
            """)
    void refusesWhatIsNoTable(String table, String problem) {
        assertThat(least.with("table: product_days", "table: " + table).problems())
                .containsExactly("19: target.table: " + problem);
    }

    @Test
    void theNameOfTheRevisionsMustFitToo() {
        String name = "t".repeat(54);
        JobText text = least.with("table: product_days", "table: sales." + name);

        assertThat(text.plan().target().table()).isEqualTo(name);
        assertThat(text.after("  table:", "  revisions: true").problems())
                .containsExactly("19: target.table: table name '" + name
                        + "' is too long; expected at most 53 bytes, so that _revisions fits");
    }

    @Test
    void aTargetHasAKeyAndAValueColumn() {
        assertThat(least.with("columns:\n    lines: { count: {} }", "columns: {}")
                        .problems())
                .containsExactly("21: target.columns: is empty; expected at least one value column");
        assertThat(least.with("  key: product_id\n", "").problems())
                .containsExactly("18: target.key: is missing; expected a name or a list of names");
    }

    @Test
    void aKeyHasAtMost31Fields() throws IOException {
        String names = Arrays.stream(new int[32]).mapToObj(any -> "f").collect(Collectors.joining());
        StringBuilder fields = new StringBuilder();
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < names.length(); i++) {
            fields.append("{\"name\": \"f").append(i).append("\", \"type\": \"int\"}, ");
            key.append(i == 0 ? "f" : ", f").append(i);
        }
        Path schema = folder.resolve("order-item.avsc");
        Files.writeString(schema, Files.readString(schema).replace("\"fields\": [\n", "\"fields\": [\n" + fields));

        assertThat(least.with("key: product_id", "key: [" + key + "]").problems())
                .containsExactly("20: target.key: has 32 fields; expected at most 31");
    }

    @Test
    void onlyFirstAndLatestHaveAnOrder() {
        assertThat(least.column("most: { max: quantity, order: line_number }").problems())
                .containsExactly("22: target.columns.most.order: max has no order; only first and latest have one");
    }

    @Test
    void retroactiveWantsAGlobalColumnAndAnOpenPastAndBothAreTold() {
        assertThat(least.with("  lookback: 3", "  lookback: 0")
                        .after("  key:", "  retroactive: true")
                        .problems())
                .containsExactlyInAnyOrder(
                        "21: target.retroactive: is true, but no column is global; it is for columns that depend on other"
                                + " partitions: leave it out",
                        "21: target.retroactive: is true, but with a lookback of 0 no partition stays open for what comes"
                                + " later; leave it out, or let partitions stay open");
        assertThat(least.column("so_far: { runningSum: quantity }")
                        .after("  key:", "  retroactive: true")
                        .plan()
                        .target()
                        .retroactive())
                .isTrue();
    }

    @Test
    void orderMayBeFloatingPoint() {
        assertThat(least.column("last: { latest: status, order: [weight] }")
                        .plan()
                        .target()
                        .columns()
                        .get(0)
                        .order())
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sum", "avg", "runningSum"})
    void sumsAndMeansAreOfNumbers(String function) {
        for (String field : new String[] {"order_id", "removed", "op", "photo", "shipped_on", "ordered_at", "trace"}) {
            assertThat(least.column("x: { " + function + ": " + field + " }").problems())
                    .singleElement()
                    .asString()
                    .startsWith("22: target.columns.x." + function + ": " + function + " over field '" + field
                            + "', which is ")
                    .endsWith("; the numbers are line_number, product_id, quantity, units, unit_price, exact, net,"
                            + " weight, score, epoch_millis, xmin");
        }
        assertThat(least.column("x: { " + function + ": exact }").problems())
                .containsExactly("22: target.columns.x." + function + ": " + function
                        + " over numeric(30,4) could overflow; expected a decimal of at most 28 digits");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"min", "max", "countDistinct", "first", "latest", "count", "runningCount", "runningCountDistinct"
            })
    void otherFunctionsTakeEveryScalar(String function) {
        for (String field : new String[] {
            "order_id",
            "quantity",
            "units",
            "exact",
            "weight",
            "score",
            "removed",
            "op",
            "photo",
            "digest",
            "shipped_on",
            "shipped_at",
            "ordered_at",
            "local_at",
            "trace"
        }) {
            assertThat(least.column("x: { " + function + ": " + field + " }")
                            .plan()
                            .target()
                            .columns())
                    .hasSize(1);
        }
        assertThat(least.column("x: { " + function + ": tags }").problems())
                .singleElement()
                .asString()
                .startsWith("22: target.columns.x." + function + ": field 'tags' is an array, which a job cannot read");
    }
}
