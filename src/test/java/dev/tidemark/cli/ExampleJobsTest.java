package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The jobs of the folder {@code jobs} over what {@code generate} writes, against a computation over the same files. */
@Timeout(300)
class ExampleJobsTest {
    private static final ZoneId ZONE = ZoneId.of("America/New_York");

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;
    private static Result kestrel;
    private static Result ttc;

    @BeforeAll
    static void generate() throws IOException {
        tidemark = new Tidemark(folder)
                .with("TIDEMARK_WAREHOUSE", POSTGRES.address())
                .with("ORDER_LINES", folder.resolve("kestrel").toString())
                .with("ORDER_ITEMS", folder.resolve("kestrel").toString())
                .with("PRODUCT_SNAPSHOTS", folder.resolve("ttc/products").toString())
                .with("LOCATION_SNAPSHOTS", folder.resolve("ttc/locations").toString());
        kestrel = generate("kestrel", "kestrel", "--days", "6", "--scale", "0.02");
        ttc = generate("ttc", "ttc", "--days", "20", "--scale", "0.0005");
    }

    private static Result generate(String story, String name, String... more) {
        List<String> all = new ArrayList<>(
                List.of("generate", story, "--out", folder.resolve(name).toString()));
        all.addAll(List.of(more));
        return tidemark.runPlain(all.toArray(String[]::new));
    }

    private static void runJob(String job) {
        Result run = tidemark.runPlain("run", "--job", "jobs/" + job + ".yaml", "--parallelism", "2");
        assertThat(run.err()).doesNotContain("tidemark:");
        assertThat(run.status()).isZero();
    }

    private static List<Path> files(String name) throws IOException {
        try (Stream<Path> list = Files.list(folder.resolve(name))) {
            return list.filter(file -> !file.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList();
        }
    }

    private static List<GenericRecord> records(String name) throws IOException {
        List<GenericRecord> records = new ArrayList<>();
        for (Path file : files(name)) {
            try (DataFileReader<GenericRecord> in =
                    new DataFileReader<>(file.toFile(), new GenericDatumReader<GenericRecord>())) {
                in.forEach(records::add);
            }
        }
        return records;
    }

    private static List<String> rows(String sql) throws Exception {
        List<String> rows = new ArrayList<>();
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    row.add(String.valueOf(result.getString(column)));
                }
                rows.add(String.join(" ", row));
            }
        }
        return rows;
    }

    private static long number(GenericRecord record, String field) {
        return ((Number) record.get(field)).longValue();
    }

    private static LocalDate day(long micros) {
        return Instant.ofEpochSecond(micros / 1_000_000).atZone(ZONE).toLocalDate();
    }

    private static BigDecimal price(GenericRecord record) {
        ByteBuffer bytes = ((ByteBuffer) record.get("unit_price")).duplicate();
        byte[] digits = new byte[bytes.remaining()];
        bytes.get(digits);
        return new BigDecimal(new BigInteger(digits), 2);
    }

    /** The lines that stand, by order and line: the newest version of each unless it is withdrawn. */
    private static Map<List<Long>, GenericRecord> standing() throws IOException {
        Map<List<Long>, GenericRecord> newest = new HashMap<>();
        for (GenericRecord record : records("kestrel")) {
            newest.merge(
                    List.of(number(record, "order_id"), number(record, "line_number")),
                    record,
                    (old, next) -> number(next, "updated_at") > number(old, "updated_at") ? next : old);
        }
        newest.values().removeIf(record -> record.get("op").toString().equals("d"));
        return newest;
    }

    @Test
    void orderLinesStandAsTheirNewestVersionsSay() throws Exception {
        runJob("order-lines");
        List<String> expected = new ArrayList<>();
        standing()
                .forEach((id, record) -> expected.add(String.join(
                        " ",
                        day(number(record, "ordered_at")).toString(),
                        id.get(0).toString(),
                        id.get(1).toString(),
                        record.get("customer_id").toString(),
                        record.get("product_id").toString(),
                        record.get("status").toString(),
                        record.get("quantity").toString(),
                        price(record).toString(),
                        Long.toString(number(record, "updated_at")))));
        assertThat(
                        rows(
                                "select to_char(day, 'YYYY-MM-DD'), order_id, line_number, customer_id, product_id, status, quantity,"
                                        + " unit_price, (extract(epoch from updated_at) * 1000000)::bigint from gold.fct_order_item"))
                .hasSizeGreaterThan(3_000)
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(rows("select sum(late + split + rejected) from tidemark.publications where job = 'order-lines'"))
                .containsExactly("0");
    }

    @Test
    void productDaysCountTheLinesThatStand() throws Exception {
        runJob("product-days");
        Map<String, long[]> expected = new TreeMap<>();
        standing().values().forEach(record -> {
            long[] sums = expected.computeIfAbsent(
                    day(number(record, "ordered_at")) + " " + record.get("product_id"), key -> new long[2]);
            sums[0]++;
            sums[1] += number(record, "quantity");
        });
        assertThat(rows("select to_char(day, 'YYYY-MM-DD'), product_id, lines, quantity from sales.product_days"))
                .hasSizeGreaterThan(1_000)
                .containsExactlyInAnyOrderElementsOf(expected.entrySet().stream()
                        .map(entry -> entry.getKey() + " " + entry.getValue()[0] + " " + entry.getValue()[1])
                        .toList());
    }

    /** Against sums by SQL over what stands: a retroactive job's columns are those of every day in the end. */
    @Test
    void customerDaysAddUpAllDaysSoFar() throws Exception {
        runJob("customer-days");
        Map<Long, TreeMap<String, List<GenericRecord>>> customers = new TreeMap<>();
        standing()
                .values()
                .forEach(record -> customers
                        .computeIfAbsent(number(record, "customer_id"), key -> new TreeMap<>())
                        .computeIfAbsent(day(number(record, "ordered_at")).toString(), key -> new ArrayList<>())
                        .add(record));
        List<String> expected = new ArrayList<>();
        customers.forEach((customer, days) -> {
            Set<String> products = new HashSet<>();
            long lines = 0;
            BigDecimal net = BigDecimal.ZERO.setScale(2);
            for (Map.Entry<String, List<GenericRecord>> day : days.entrySet()) {
                for (GenericRecord record : day.getValue()) {
                    products.add(record.get("product_id").toString());
                    lines++;
                    net = net.add(price(record).multiply(BigDecimal.valueOf(number(record, "quantity"))));
                }
                expected.add(day.getKey() + " " + customer + " "
                        + day.getValue().size() + " " + lines + " " + net + " " + products.size());
            }
        });
        assertThat(rows("select to_char(day, 'YYYY-MM-DD'), customer_id, lines, lines_so_far, net_so_far,"
                        + " products_so_far from sales.customer_days"))
                .hasSizeGreaterThan(1_000)
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(rows(
                        "select count(*) from (select net_so_far, sum(net) over (partition by customer_id order by day) as"
                                + " s from sales.customer_days) d where net_so_far <> s"))
                .containsExactly("0");
        assertThat(
                        rows(
                                "select count(*) from (select customer_id from sales.customer_days group by 1 having count(*) > 1) m"))
                .as("customers of several days")
                .doesNotContain("0");
    }

    @Test
    void inventoryDaysCloseWithTheLatestRowOfTheLatestSnapshotAndTry() throws Exception {
        runJob("inventory-days");
        Map<String, List<GenericRecord>> cells = new TreeMap<>();
        long late = 0;
        for (GenericRecord record : records("ttc/products")) {
            LocalDate day = day(number(record, "snapshot_at"));
            if (day.isBefore(day(number(record, "observed_at")).minusDays(3))) {
                late++;
            } else {
                cells.computeIfAbsent(day + " " + record.get("product_id"), key -> new ArrayList<>())
                        .add(record);
            }
        }
        List<String> expected = new ArrayList<>();
        cells.forEach((cell, records) -> {
            GenericRecord last = records.stream()
                    .max(Comparator.<GenericRecord>comparingLong(record -> number(record, "snapshot_at"))
                            .thenComparingLong(record -> number(record, "snapshot_id"))
                            .thenComparingLong(record -> number(record, "seq")))
                    .orElseThrow();
            long lowest = records.stream()
                    .mapToLong(record -> number(record, "on_hand"))
                    .min()
                    .orElseThrow();
            long snapshots = records.stream()
                    .map(record -> number(record, "snapshot_id"))
                    .distinct()
                    .count();
            expected.add(cell + " " + last.get("on_hand") + " " + lowest + " " + snapshots + " " + records.size());
        });
        assertThat(rows("select to_char(day, 'YYYY-MM-DD'), product_id, on_hand, lowest, snapshots, rows"
                        + " from inventory.product_days"))
                .hasSizeGreaterThan(2_000)
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(late).isPositive();
        assertThat(rows("select count(*) from tidemark.late_ledger where job = 'inventory-days'"))
                .containsExactly(Long.toString(late));
    }

    @Test
    void locationDaysCloseWithTheLatestSnapshot() throws Exception {
        runJob("location-days");
        Map<String, GenericRecord> last = new TreeMap<>();
        Map<String, Integer> count = new TreeMap<>();
        for (GenericRecord record : records("ttc/locations")) {
            String cell = day(number(record, "snapshot_at")) + " " + record.get("location_id");
            last.merge(
                    cell, record, (old, next) -> number(next, "snapshot_at") > number(old, "snapshot_at") ? next : old);
            count.merge(cell, 1, Integer::sum);
        }
        List<String> expected = new ArrayList<>();
        last.forEach((cell, record) -> expected.add(cell + " " + record.get("on_hand") + " " + count.get(cell)));
        assertThat(
                        rows(
                                "select to_char(day, 'YYYY-MM-DD'), location_id, on_hand, snapshots from inventory.location_days"))
                .hasSizeGreaterThan(20)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"order-lines", "product-days", "inventory-days", "location-days"})
    void theFormsForKafkaAreRight(String job) {
        Result validated = tidemark.runPlain("validate", "--job", "jobs/" + job + "-kafka.yaml");
        assertThat(validated.err().lines()).allMatch(line -> line.startsWith("warning: "));
        assertThat(validated.status()).isZero();
        assertThat(validated.out()).contains("job: " + job + "-kafka", "topic: ", "localhost:9092");
    }

    // -------------------------------------------------------------------------------------------- the command itself

    @Test
    void filesAreNamedAfterTheDaysOfArrivalAndNothingElseIsThere() throws IOException {
        assertThat(kestrel.status()).isZero();
        assertThat(files("kestrel"))
                .allMatch(file -> file.getFileName().toString().matches("2026-11-\\d\\d\\.avro"));
        assertThat(files("kestrel")).hasSizeBetween(7, 10);
        assertThat(records("kestrel").stream().map(record -> number(record, "ingested_at")))
                .isSorted();
        assertThat(ttc.status()).isZero();
        assertThat(files("ttc")).hasSize(2);
    }

    @Test
    void theSummaryTellsWhatWasWritten() throws IOException {
        assertThat(kestrel.err()).isEmpty();
        assertThat(kestrel.out())
                .contains("in 6 days before 2026-11-27", ", 826 on that day")
                .contains(String.format(
                        "changes         %,d%n", records("kestrel").size()))
                .contains("in DIR/kestrel");
        assertThat(ttc.out())
                .contains(String.format(
                        "product rows    %,d%n", records("ttc/products").size()))
                .contains(String.format(
                        "location rows   %,d%n", records("ttc/locations").size()));
    }

    /** In whatever zone and on whatever machine this is run. */
    @Test
    void theSameArgumentsGiveTheSameBytes() throws Exception {
        assertThat(generate("kestrel", "again", "--days", "6", "--scale", "0.02")
                        .status())
                .isZero();
        assertThat(digest("again")).isEqualTo(digest("kestrel")).isEqualTo(KESTREL_DIGEST);
        assertThat(digest("ttc/products")).isEqualTo(PRODUCTS_DIGEST);
        assertThat(generate("kestrel", "other", "--days", "6", "--scale", "0.02", "--seed", "7")
                        .status())
                .isZero();
        assertThat(digest("other")).isNotEqualTo(digest("kestrel"));
    }

    private static final String KESTREL_DIGEST = "e2e687e303ade3e1";
    private static final String PRODUCTS_DIGEST = "ea11371890313464";

    private static String digest(String name) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Path file : files(name)) {
            digest.update(file.getFileName().toString().getBytes(java.nio.charset.StandardCharsets.UTF_8));
            digest.update(Files.readAllBytes(file));
        }
        return HexFormat.of().formatHex(digest.digest()).substring(0, 16);
    }

    @Test
    void jsonLinesSayTheSame() throws IOException {
        assertThat(generate("kestrel", "json", "--days", "6", "--scale", "0.02", "--format", "json")
                        .status())
                .isZero();
        List<String> lines = new ArrayList<>();
        for (Path file : files("json")) {
            lines.addAll(Files.readAllLines(file));
        }
        GenericRecord first = records("kestrel").get(0);
        assertThat(lines).hasSize(records("kestrel").size());
        assertThat(lines.get(0))
                .startsWith(
                        "{\"order_id\": " + first.get("order_id") + ", \"line_number\": " + first.get("line_number"))
                .contains("\"unit_price\": " + price(first) + ", \"op\": \"c\"")
                .contains("\"ingested_at\": \"2026-11-21T");
    }

    @Test
    void aFolderThatHoldsSomethingIsLeftAlone() throws IOException {
        assertThat(generate("kestrel", "full", "--days", "5", "--scale", "0.001")
                        .status())
                .isZero();
        int written = files("full").size();
        Result refused = generate("kestrel", "full", "--days", "1", "--scale", "0.001");
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
                .isEqualTo("tidemark: --out: the folder DIR/full is not empty; name another, or say --replace to remove"
                        + " the " + written + " files there" + System.lineSeparator());

        // A name like that of generated files is not enough.
        Files.writeString(folder.resolve("full/2024-03-11.jsonl"), "mine");
        Result foreign = generate("kestrel", "full", "--days", "1", "--scale", "0.001", "--replace");
        assertThat(foreign.status()).isEqualTo(2);
        assertThat(foreign.err()).contains("holds 2024-03-11.jsonl, which generate did not write");
        Files.delete(folder.resolve("full/2024-03-11.jsonl"));

        assertThat(generate("kestrel", "full", "--days", "1", "--scale", "0.001", "--replace")
                        .status())
                .isZero();
        assertThat(files("full").size()).isLessThan(written);
    }

    @Test
    void wrongUseIsSaid() {
        assertThat(tidemark.runPlain("generate", "kestrel").err())
                .isEqualTo("tidemark: generate writes either to --out DIR or to --topic T; say one of them"
                        + System.lineSeparator());
        assertThat(generate("kestrel", "no", "--scale", "0").err()).contains("--scale: 0.0 is not above 0");
        assertThat(generate("kestrel", "no", "--days", "0").err()).contains("--days: 0 is not from 1");
        assertThat(generate("peregrine", "no").err())
                .contains("'peregrine' is none of kestrel, kestrel-strict, kestrel-sessions, kestrel-shipments, ttc");
        assertThat(generate("kestrel", "no", "--scale", "0").status()).isEqualTo(2);
    }
}
