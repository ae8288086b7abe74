package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

/** What {@code lateness} says of jobs that have run. */
@Timeout(300)
final class LatenessCommandTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static Tidemark tidemark;

    @BeforeAll
    static void runJobs() throws IOException, SQLException {
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                {"id": "b", "shop": "y", "amount": 7, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-10T11:00:02Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-11T10:00:00Z", "seen": "2024-03-12T10:00:00Z"}
                {"id": "c", "shop": "x", "amount": 7, "at": "2024-03-11T10:00:00Z", "seen": "2024-03-12T10:00:00Z"}
                {"id": "d", "shop": "x", "amount": 1, "at": "2024-03-09T10:00:00Z", "seen": "2024-03-12T10:03:00Z"}
                {"id": "b", "shop": "y", "amount": 8, "at": "2024-03-10T11:00:00Z", "seen": "2024-03-12T11:00:00Z"}
                no record
                """);
        tidemark.write(
                "blind.yaml",
                Tidemark.JOB
                        .replace("job: sales", "job: blind")
                        .replace("observed: seen, frontier: observed", "observed: none, frontier: event")
                        .replace("sales_by_day", "blind_by_day"));
        tidemark.write(
                "reasoned.yaml",
                Tidemark.JOB
                        .replace("job: sales", "job: reasoned")
                        .replace("lookback: 1", "lookback: { partitions: 4, because: \"<b>measured</b> & right\" }")
                        .replace("sales_by_day", "reasoned_by_day"));
        for (String job : List.of("sales", "blind", "reasoned")) {
            assertThat(run("run", job, "--parallelism", "1").status()).isZero();
        }
        execute("update tidemark.publications set published_at = '2024-03-12T12:00:00Z'");
    }

    @Test
    void theReportSaysTheDistributionTheSweepAndTheAdvice() {
        Result result = run("lateness", "sales");

        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("""
                job             sales
                observed        2024-03-10 to 2024-03-12, 2 days with changes; 5 changes, 2 of them late
                lookback        1 day, a hypothesis: no evidence given
                verdict         too short: 2 changes named a partition older than it
                half window     no sensor: a lookback of 1 has no older half
                ledger          1 outside-window, 1 state-expired

                arrival     changes  late  p50    p95  p99  p99.9  p99.99  max  max age
                all               5     2  1 d    3 d  3 d  3 d    3 d     3 d        3
                first             4     1  1 min  3 d  3 d  3 d    3 d     3 d        3
                correction        1     1  2 d    2 d  2 d  2 d    2 d     2 d        2
                (too few changes to tell p95, p99, p99.9, p99.99 from the maximum)
                """);
        assertThat(result.out()).contains("p99 + margin: lookback 4.", "maximum x 2: lookback 7.");
        assertThat(result.out()).contains("7 records in all are few", "the job knows no deletes");
    }

    @Test
    void eachTableIsHadAsCsvWithEveryColumn() {
        assertThat(run("lateness", "sales", "--by", "age", "--format", "csv").out())
                .isEqualTo("""
                age,changes,first,corrections,late,max_ms
                0,3,3,0,0,86400000
                2,1,0,1,1,172800000
                3,1,1,0,1,259380000
                """.replace("\n", "\r\n"));
        assertThat(run("lateness", "sales", "--format", "csv").out()).isEqualTo("""
                observed_day,changes,corrections,late,p50_ms,p95_ms,p99_ms,p99_9_ms,p99_99_ms,max_ms,max_age,half_window_exceeded
                2024-03-10,2,0,0,2000,60000,60000,60000,60000,60000,0,
                2024-03-12,3,1,2,172800000,259380000,259380000,259380000,259380000,259380000,3,
                """.replace("\n", "\r\n"));
        assertThat(run("lateness", "sales", "--by", "lookback", "--format", "csv", "--candidates", "30")
                        .out()
                        .lines())
                .startsWith(
                        "lookback,caught,ledger,ledger_first,ledger_corrections,greatest_lost_ms,open_partitions,"
                                + "open_cells_estimate,remembered_members_estimate,cells_rewritten_at_most,marks",
                        "0,3,2,1,1,259380000,1,2,2,0,\"\"",
                        "1,3,2,1,1,259380000,2,3,5,0,set")
                .anyMatch(line -> line.startsWith("30,5,0,0,0,,31,"));
        assertThat(run("lateness", "sales", "--by", "split").out()).isEqualTo("""
                log                      ledger rows  late days  max  max age
                (the source is one log)            2          1  3 d        3
                """);
    }

    @Test
    void asJsonItIsOneDocument() throws IOException {
        JsonNode json = json(run("lateness", "sales", "--format", "json", "--margin", "commit=3h"));

        assertThat(json.get("verdict").asText()).isEqualTo("insufficient");
        assertThat(json.get("hypothesis").asBoolean()).isTrue();
        assertThat(json.at("/observed/from").asText()).isEqualTo("2024-03-10");
        assertThat(json.at("/arrivals/0/max_ms").asLong()).isEqualTo(259_380_000);
        assertThat(json.at("/arrivals/2/changes").asLong()).isEqualTo(1);
        assertThat(json.at("/lookbacks/1/marks").asText()).isEqualTo("set");
        assertThat(json.at("/margin/commit_ms").asLong()).isEqualTo(10_800_000);
        assertThat(json.at("/margin/clock_ms").asLong()).isEqualTo(3_600_000);
        assertThat(json.at("/advice/1/policy").asText()).isEqualTo("twice_the_maximum");
        assertThat(json.at("/advice/1/ledger").asLong()).isZero();
    }

    @Test
    void aPeriodLeavesOutWhatWasObservedBeforeAndAfter() throws IOException {
        JsonNode json = json(run("lateness", "sales", "--format", "json", "--until", "2024-03-11"));

        assertThat(json.at("/arrivals/0/changes").asLong()).isEqualTo(2);
        assertThat(json.get("verdict").asText()).isEqualTo("sufficient");
        assertThat(json.get("ledger")).isEmpty();
        assertThat(run("lateness", "sales", "--since", "2024-04-01").out()).startsWith("""
                job             sales
                observed        nothing in the period
                lookback        1 day, a hypothesis: no evidence given
                verdict         nothing was observed in the period: nothing can be said
                """);
        assertThat(run("lateness", "sales", "--since", "2024-04-01", "--until", "2024-03-01")
                        .err())
                .isEqualTo("tidemark: --since 2024-04-01 is later than --until 2024-03-01\n");
    }

    @Test
    void exceptionalDaysAreLeftOutAndToldApart() throws IOException {
        Result result = run("lateness", "sales", "--except", "2024-03-11..2024-03-12,2024-01-01");
        JsonNode json = json(run("lateness", "sales", "--except", "2024-03-12", "--format", "json"));

        assertThat(result.out())
                .contains("observed        2024-03-10 to 2024-03-10, 1 day with changes; 2 changes, 0 of them late\n")
                .contains("left out        3 changes of exceptional days, up to 3 d late\n")
                .doesNotContain("ledger rows");
        assertThat(json.at("/left_out/max_ms").asLong()).isEqualTo(259_380_000);
        assertThat(json.get("verdict").asText()).isEqualTo("sufficient");
        assertThat(run("lateness", "sales", "--except", "soon").err())
                .isEqualTo("tidemark: --except: 'soon' is not a day such as 2024-03-10, or two of them as FROM..TO\n");
    }

    @Test
    void withoutAnObservedTimeItSaysThatNobodyKnowsAndGivesNoPercentiles() throws IOException {
        Result table = run("lateness", "blind");
        JsonNode json = json(run("lateness", "blind", "--format", "json"));

        assertThat(table.out()).contains("observed        nothing: the job has no observed time\n");
        assertThat(table.out()).contains("the changes do not say when they could first be seen (time.observed: none)");
        assertThat(table.out()).doesNotContain("p99");
        assertThat(json.at("/arrivals/0/p99_ms").isNull()).isTrue();
        assertThat(json.get("advice")).isEmpty();
        assertThat(run("lateness", "blind", "--until", "2024-01-01").out())
                .contains("verdict         unknown: without an observed time nobody can tell whether it suffices\n");
        assertThat(run(
                                "lateness",
                                "blind",
                                "--html",
                                folder.resolve("blind.html").toString())
                        .status())
                .isZero();
    }

    @Test
    void theCheckFailsWhereTheWindowIsTooShortOrItsOlderHalfIsInUse() {
        assertThat(run("lateness", "sales", "--check").status()).isEqualTo(ExitStatus.DIFFERENCE);
        assertThat(run("lateness", "sales", "--check", "--until", "2024-03-11").status())
                .isZero();
        Result sensor = run("lateness", "reasoned", "--check");
        assertThat(sensor.out())
                .contains(
                        "half window     warning: 1 change admitted in the older half of the lookback, 1 published since"
                                + " 2024-03-06\n");
        assertThat(sensor.status()).isEqualTo(ExitStatus.DIFFERENCE);
    }

    @Test
    void evidenceThatWasGivenIsRepeated() {
        assertThat(run("lateness", "reasoned").out())
                .contains("lookback        4 days, because: <b>measured</b> & right\n")
                .contains("verdict         suffices for what was seen: the oldest change was 3 partitions old\n");
    }

    @Test
    void thePageStandsAloneParsesAndHoldsTheFigures() throws Exception {
        Path file = folder.resolve("page.html");
        Result result = run("lateness", "reasoned", "--html", file.toString());
        String page = Files.readString(file);

        assertThat(result.err()).isEqualTo("wrote DIR/page.html\n");
        DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        Document document = parser.parse(file.toFile());
        assertThat(document.getElementsByTagName("svg").getLength()).isEqualTo(2);
        assertThat(document.getElementsByTagName("tr").getLength()).isGreaterThan(10);
        assertThat(page)
                .contains("&lt;b&gt;measured&lt;/b&gt; &amp; right")
                .doesNotContain("<b>measured")
                .doesNotContain("{{")
                .contains("prefers-color-scheme: dark")
                .contains("p99 + margin: ", "maximum x 2: ", ">lookback 4</text>", "max 3 d");
        assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http", "<script", "@import", "url(");
    }

    @Test
    void aPageThatCannotBeWrittenIsAFailureWithAWayOut() {
        Result result = run(
                "lateness", "sales", "--html", folder.resolve("none/page.html").toString());

        assertThat(result.status()).isEqualTo(ExitStatus.FAILED);
        assertThat(result.err()).contains("DIR/none/page.html", "name a file in a folder that is there");
    }

    @Test
    void theHelpIsPrintedAsItIsWritten() {
        Result help = tidemark.runPlain("lateness", "--help");

        assertThat(help.err()).isEmpty();
        assertThat(help.out()).contains("2 % too high, the maximum is exact.\n", "\n--check exits with 1");
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 110);
    }

    @Test
    void wrongOptionsAreToldWithWhatIsAllowed() {
        assertThat(run("lateness", "sales", "--by", "hour").err())
                .startsWith(
                        "tidemark: Invalid value for option '--by': 'hour' is none of arrival, day, age, split, lookback\n");
        assertThat(run("lateness", "sales", "--margin", "luck=1h").err()).contains("scheduler, commit, clock");
        assertThat(run("lateness", "sales", "--candidates", "-1").err())
                .isEqualTo("tidemark: --candidates: -1 is no lookback; expected 0 to 1000000\n");
    }

    private static Result run(String command, String job, String... more) {
        List<String> all = new ArrayList<>(List.of(command, "--job", tidemark.path(job + ".yaml")));
        all.addAll(List.of(more));
        return tidemark.runPlain(all.toArray(String[]::new));
    }

    private static JsonNode json(Result result) throws IOException {
        assertThat(result.status()).isZero();
        return new ObjectMapper().readTree(result.out());
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
