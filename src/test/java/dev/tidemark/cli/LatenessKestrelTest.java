package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import dev.tidemark.lateness.Quantile;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What {@code lateness} says of the order lines of {@code generate kestrel}, against the files themselves. */
@Timeout(600)
class LatenessKestrelTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;
    private static Result generated;

    @BeforeAll
    static void generateAndRunInParts() throws IOException {
        Path all = folder.resolve("all");
        Path read = Files.createDirectories(folder.resolve("read"));
        tidemark = new Tidemark(folder)
                .with("TIDEMARK_WAREHOUSE", POSTGRES.address())
                .with("ORDER_LINES", read.toString());
        generated = tidemark.runPlain("generate", "kestrel", "--out", all.toString(), "--days", "20", "--scale", "0.1");
        assertThat(generated.status()).isZero();
        List<Path> files = files(all);
        for (int part = 0; part < 3; part++) {
            for (int i = files.size() * part / 2; i < Math.min(files.size(), files.size() * (part + 1) / 2); i++) {
                Files.copy(files.get(i), read.resolve(files.get(i).getFileName()));
            }
            // the last run finds nothing new
            assertThat(run("run", "--parallelism", "2").status()).isZero();
        }
    }

    @Test
    void percentilesAreWithinTwoPercentOfTheExactOnesTheMaximumIsExactAndRunningAgainCountsNothingTwice()
            throws IOException {
        List<Long> first = new ArrayList<>();
        List<Long> corrections = new ArrayList<>();
        Map<String, Long> newest = new HashMap<>();
        for (GenericRecord record : records()) {
            String id = record.get("order_id") + " " + record.get("line_number");
            long updated = number(record, "updated_at");
            Long known = newest.get(id);
            if (known == null || updated > known) {
                (known == null ? first : corrections)
                        .add((number(record, "ingested_at") - number(record, "ordered_at")) / 1_000);
                newest.put(id, updated);
            }
        }
        List<Long> both = new ArrayList<>(first);
        both.addAll(corrections);

        JsonNode arrivals = json(run("lateness", "--format", "json")).get("arrivals");

        assertAgree(arrivals.get(0), both);
        assertAgree(arrivals.get(1), first);
        assertAgree(arrivals.get(2), corrections);
    }

    @Test
    void theStrictReaderLosesWhatTheGeneratorSaysItLoses() throws IOException {
        String told = generated.out();
        LocalDate great = LocalDate.of(2026, 11, 27);

        JsonNode nightly = strict("--every", "24h", "--first", "03:30");
        JsonNode busy =
                strict("--every", "24h", "--first", "03:30", "--at", "05:05,13:20,20:50", "--on", great.toString());

        assertThat(ordinary(nightly, "lost"))
                .isEqualTo(figure(told, "ordinary +([0-9,]+) orders"))
                .isPositive();
        assertThat(most(nightly)).isEqualTo(figure(told, "at most ([0-9,]+)"));
        assertThat(ofDay(nightly, great)).isEqualTo(figure(told, great + " +([0-9,]+) orders"));
        assertThat(ofDay(busy, great))
                .isEqualTo(figure(told, "([0-9,]+) orders \\([^)]*\\) when it reads at 05:05"))
                .isPositive();
        assertThat(ordinary(nightly, "records")).isEqualTo(figure(told, "([0-9,]+) in 20 days before"));
        List<String> minutes = new ArrayList<>();
        for (JsonNode minute : busy.get("minutes")) {
            String at = minute.get("minute").asText();
            if (at.startsWith(great.toString())) {
                minutes.add(at.substring(11) + " " + minute.get("lost").asLong());
            }
        }
        assertThat(told).contains("by minute: " + String.join(", ", minutes.subList(0, 8)));
    }

    /** Percentiles of the lag lose the tail; what holds the longest lag loses nothing, and reads the days of its length again. */
    @Test
    void aLookbackOfAPercentileStillLosesAndOneOverTheLongestLagDoesNot() throws IOException {
        JsonNode sweep = json(run(
                "lateness",
                "--strict-watermark",
                "--first",
                "03:30",
                "--at",
                "05:05,13:20,20:50",
                "--on",
                "2026-11-27",
                "--per",
                "order_id",
                "--strict-lookback",
                "0s,41m,252m,19h,52h,72h",
                "--format",
                "json"));
        JsonNode single = strict(
                "--first", "03:30", "--at", "05:05,13:20,20:50", "--on", "2026-11-27", "--strict-lookback", "41m");

        List<Long> lost = new ArrayList<>();
        List<Long> again = new ArrayList<>();
        sweep.forEach(row -> {
            lost.add(row.get("lost").asLong());
            again.add(row.get("rows_read_again").asLong());
        });
        assertThat(lost).isSortedAccordingTo(Comparator.reverseOrder());
        assertThat(lost.subList(0, 3)).allMatch(one -> one > 0);
        assertThat(lost.subList(4, 6)).containsOnly(0L);
        assertThat(lost.get(1)).isEqualTo(single.get("lost").asLong());
        assertThat(again).isSorted();
        assertThat(again.get(0)).isZero();
        JsonNode last = sweep.get(5);
        double daily = (double) last.get("rows_read").asLong()
                - last.get("rows_read_again").asLong();
        assertThat(last.get("rows_read_again").asLong() / daily).isBetween(2.5, 3.5);
        Result table = run("lateness", "--strict-watermark", "--strict-lookback", "0s,41m", "--first", "03:30");
        assertThat(table.out()).contains("lookback", "41 min", "rows a read");
    }

    @Test
    void whatIsLostIsPutInCurrencyByAnExpression() throws IOException {
        JsonNode lines = json(run(
                "lateness",
                "--strict-watermark",
                "--first",
                "03:30",
                "--value",
                "quantity * unit_price",
                "--currency",
                "USD",
                "--format",
                "json"));
        JsonNode orders = strict("--first", "03:30", "--value", "quantity * unit_price");

        Map<String, BigDecimal> worth = new HashMap<>();
        for (GenericRecord record : records()) {
            worth.putIfAbsent(record.get("order_id") + " " + record.get("line_number"), price(record));
        }
        assertThat(lines.get("records").asLong()).isEqualTo(worth.size());
        assertThat(lines.get("lost").asLong())
                .isGreaterThanOrEqualTo(orders.get("lost").asLong());
        assertThat(lines.get("currency").asText()).isEqualTo("USD");
        // lines of an order arrive together; a correction may have shown one line of a lost order, and then the order
        assertThat(lines.get("value").decimalValue())
                .isGreaterThanOrEqualTo(orders.get("value").decimalValue())
                .isPositive();
        BigDecimal byDay = BigDecimal.ZERO;
        for (JsonNode day : orders.get("days")) {
            byDay = byDay.add(day.get("value").decimalValue());
        }
        assertThat(byDay).isEqualByComparingTo(orders.get("value").decimalValue());
    }

    @Test
    void theTableNamesTheWorstDayAndFiveMinutes() {
        Result result = run(
                "lateness",
                "--strict-watermark",
                "--every",
                "24h",
                "--first",
                "03:30",
                "--at",
                "05:05,13:20,20:50",
                "--on",
                "2026-11-27",
                "--per",
                "order_id",
                "--value",
                "quantity * unit_price",
                "--currency",
                "USD");

        assertThat(result.status()).isZero();
        assertThat(result.out())
                .contains(
                        "a reader of     updated > MAX(updated), every 1 d from 03:30 on, and at 05:05, 13:20, 20:50 on"
                                + " 2026-11-27 (America/New_York)\n")
                .contains("  worst day     2026-11-27: ", "  other days    ", "minute", "value USD");
    }

    @Test
    void whatCannotBeReplayedIsRefusedWithTheReason() throws IOException {
        assertThat(run("lateness", "--strict-watermark", "--per", "customer_id").err())
                .isEqualTo(
                        "tidemark: --per: 'customer_id' is not among the fields of changes.id: order_id, line_number\n");
        assertThat(run("lateness", "--strict-watermark", "--value", "no_such").err())
                .startsWith("tidemark: --value: ")
                .contains("no_such");
        assertThat(run("lateness", "--strict-watermark", "--every", "36h").err())
                .contains("or whole days");
        assertThat(run("lateness", "--strict-watermark", "--on", "2026-11-27").err())
                .contains("--at names the times");
        assertThat(run("lateness", "--at", "03:30").err()).contains("--strict-watermark");
        assertThat(run("lateness", "--strict-watermark", "--by", "day").err()).contains("--strict-watermark");
        tidemark.write(
                "sales.yaml",
                Tidemark.JOB.replace("version: seen", "version: amount").replace("\"null\", ", ""));
        Result noTime = tidemark.run("lateness", "--strict-watermark");
        assertThat(noTime.status()).isEqualTo(ExitStatus.WRONG_USE);
        assertThat(noTime.err()).contains("the version of this job is amount, integer");
    }

    private static Result run(String command, String... more) {
        List<String> all = new ArrayList<>(List.of(command, "--job", "jobs/order-lines.yaml"));
        all.addAll(List.of(more));
        return tidemark.runPlain(all.toArray(String[]::new));
    }

    private static JsonNode strict(String... reads) throws IOException {
        List<String> all = new ArrayList<>(List.of("--strict-watermark", "--per", "order_id", "--format", "json"));
        all.addAll(List.of(reads));
        return json(run("lateness", all.toArray(String[]::new)));
    }

    private static JsonNode json(Result result) throws IOException {
        assertThat(result.err()).doesNotContain("tidemark:");
        return new ObjectMapper()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readTree(result.out());
    }

    private static void assertAgree(JsonNode told, List<Long> exact) {
        List<Long> sorted = exact.stream().sorted().toList();
        assertThat(told.get("changes").asLong()).isEqualTo(sorted.size());
        for (Quantile quantile : Quantile.values()) {
            long wanted = sorted.get((int) quantile.rank(sorted.size()) - 1);
            assertThat(told.get(LatenessTables.column(quantile)).asLong())
                    .as(quantile.word())
                    .isBetween(wanted, Math.round(wanted * 1.02));
        }
        assertThat(told.get("max_ms").asLong()).isEqualTo(sorted.get(sorted.size() - 1));
    }

    private static long ordinary(JsonNode loss, String what) {
        long sum = 0;
        for (JsonNode day : loss.get("days")) {
            sum += day.get("day").asText().equals("2026-11-27")
                    ? 0
                    : day.get(what).asLong();
        }
        return sum;
    }

    private static long most(JsonNode loss) {
        long most = 0;
        for (JsonNode day : loss.get("days")) {
            most = Math.max(
                    most,
                    day.get("day").asText().equals("2026-11-27")
                            ? 0
                            : day.get("lost").asLong());
        }
        return most;
    }

    private static long ofDay(JsonNode loss, LocalDate date) {
        for (JsonNode day : loss.get("days")) {
            if (day.get("day").asText().equals(date.toString())) {
                return day.get("lost").asLong();
            }
        }
        return 0;
    }

    private static long figure(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
        return Long.parseLong(matcher.group(1).replace(",", ""));
    }

    private static List<Path> files(Path of) throws IOException {
        try (Stream<Path> list = Files.list(of)) {
            return list.filter(file -> !file.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList();
        }
    }

    private static List<GenericRecord> records() throws IOException {
        List<GenericRecord> records = new ArrayList<>();
        for (Path file : files(folder.resolve("read"))) {
            try (DataFileReader<GenericRecord> in =
                    new DataFileReader<>(file.toFile(), new GenericDatumReader<GenericRecord>())) {
                in.forEach(records::add);
            }
        }
        return records;
    }

    private static long number(GenericRecord record, String field) {
        return ((Number) record.get(field)).longValue();
    }

    private static BigDecimal price(GenericRecord record) {
        ByteBuffer bytes = ((ByteBuffer) record.get("unit_price")).duplicate();
        byte[] digits = new byte[bytes.remaining()];
        bytes.get(digits);
        return new BigDecimal(new BigInteger(digits), 2).multiply(BigDecimal.valueOf(number(record, "quantity")));
    }
}
