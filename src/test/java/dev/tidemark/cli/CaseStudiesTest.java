package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the case studies run as they stand there, at a small scale, and what the pages claim of them holds. */
@Timeout(1800)
class CaseStudiesTest {
    private static final String KESTREL_SCALE = "0.03";
    private static final String TTC_SCALE = "0.0004";
    private static final int PRODUCTS = 120;

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    static Path folder;

    private static CommandPage kestrel;
    private static CommandPage ttc;

    @BeforeAll
    static void runThePages() throws IOException, InterruptedException {
        Tidemark tidemark = new Tidemark(folder)
                .with("TIDEMARK_WAREHOUSE", POSTGRES.address())
                .with("ORDER_LINES", folder.resolve("kestrel").toString())
                .with("ORDER_LINES_STRICT", folder.resolve("kestrel-strict").toString())
                .with("SESSIONS", folder.resolve("kestrel-sessions").toString())
                .with("SHIPMENTS", folder.resolve("kestrel-shipments").toString())
                .with("PRODUCT_SNAPSHOTS", folder.resolve("inventory/products").toString())
                .with("LOCATION_SNAPSHOTS", folder.resolve("ttc/locations").toString())
                .with("PRODUCT_DAYS_JDBC", "jdbc:" + POSTGRES.address());
        kestrel = CommandPage.run(page("kestrel"), tidemark, folder, KESTREL_SCALE);
        ttc = CommandPage.run(page("ttc"), tidemark, folder, TTC_SCALE);
    }

    private static Path page(String name) {
        return Path.of("docs/case-studies/" + name + ".md");
    }

    /** Everything on the page that is in no block of commands. */
    private static String text(String name) throws IOException {
        return Files.readString(page(name));
    }

    // ------------------------------------------------------------------------------------------------------- Kestrel

    @Test
    void theInversionOfTwoWritersIsLostToTheStrictReaderOnly() throws IOException {
        assertThat(kestrel.out("two-writers", 0)).contains("lost            1 of 2 (50.0 %)");
        assertThat(kestrel.out("two-writers", 1))
                .containsPattern("(?m)^none +1 ")
                .containsPattern("(?m)^99 ms +1 ")
                .containsPattern("(?m)^100 ms +0 ");
        assertThat(kestrel.out("two-writers", 3)).contains("5001   75.00", "5002   80.00");
        for (String line : kestrel.out("two-writers", 1).lines().toList()) {
            assertThat(line.startsWith("99") ? text("kestrel") : line).contains(line);
        }
    }

    @Test
    void theStrictReaderLosesLittleEveryDayAndMuchOnTheGreatDay() {
        double orders = kestrel.number("generate", "^orders +([0-9,]+) ");
        assertThat(orders).isCloseTo(1_639_373 * Double.parseDouble(KESTREL_SCALE), within(1.0));
        // 0.037 %, with the spread that so few orders have
        assertThat(kestrel.number("strict-nightly", "other days +[0-9,]+ of [0-9,]+ \\(([0-9.]+) %"))
                .isBetween(0.02, 0.06);
        assertThat(kestrel.number("strict-nightly", "other days.* [0-9.]+ a day, ([0-9,]+) to"))
                .isZero();
        assertThat(kestrel.number("strict-nightly", "other days.* to ([0-9,]+)"))
                .isLessThanOrEqualTo(9);
        assertThat(kestrel.number("strict-busy", "worst day +2026-11-27: [0-9,]+ of [0-9,]+ \\(([0-9.]+) %"))
                .isBetween(1.4, 2.8);
        assertThat(kestrel.number("strict-busy", "worst day +2026-11-27: ([0-9,]+) of"))
                .as("one night against eight months")
                .isGreaterThan(kestrel.number("strict-busy", "other days +([0-9,]+) of"));
        List<String> minutes = Pattern.compile("(?m)^2026-11-27 (\\d\\d:\\d\\d) ")
                .matcher(kestrel.out("strict-busy"))
                .results()
                .map(found -> found.group(1))
                .toList();
        assertThat(minutes).hasSizeGreaterThanOrEqualTo(3);
        assertThat(minutes.subList(0, 3))
                .as("the worst minutes are those of the spikes")
                .allMatch(
                        minute -> minute.startsWith("05:0") || minute.startsWith("13:1") || minute.startsWith("20:4"));
    }

    @Test
    void whatIsLostIsWorthMoney() {
        double worth = kestrel.number("strict-busy", "worth ([0-9.]+) USD");
        double lost = kestrel.number("strict-busy", "^lost +([0-9,]+) of");
        assertThat(worth / lost).isCloseTo(75.83, within(30.0));
        double ofOrders = kestrel.number("generate", "\\$([0-9.]+) each");
        assertThat(ofOrders).isCloseTo(75.83, within(1.5));
    }

    @Test
    void percentilesOfTheLagStillLoseAndTheLongestDoesNot() {
        List<MatchResult> rows = Pattern.compile(
                        "(?m)^(none|\\d[^ ]* \\w+(?: \\d+ \\w+)?)  +([0-9,]+)  .* ([0-9,]+) *$")
                .matcher(kestrel.out("lookbacks"))
                .results()
                .toList();
        List<String> names = rows.stream().map(row -> row.group(1)).toList();
        List<Long> lost = rows.stream().map(row -> whole(row.group(2))).toList();
        List<Long> again = rows.stream().map(row -> whole(row.group(3))).toList();

        assertThat(names).containsExactly("none", "41 min", "4 h 12 min", "19 h", "2 d 4 h", "3 d", "30 d");
        assertThat(lost.subList(0, 4)).allMatch(orders -> orders > 0);
        for (int i = 1; i < 4; i++) {
            assertThat(lost.get(i)).as(names.get(i)).isLessThan(lost.get(i - 1));
        }
        assertThat(lost.subList(4, 7)).containsOnly(0L);
        assertThat(again).isSorted();
        assertThat((double) again.get(6) / again.get(5))
                .as("thirty days against three")
                .isBetween(8.0, 10.0);
        assertThat((double) again.get(5) / (56_288 * Double.parseDouble(KESTREL_SCALE)))
                .as("as the page has it")
                .isCloseTo(1, within(0.02));
    }

    @Test
    void sessionsOfMoreWritersAreLostMoreAndNobodyKnew() {
        assertThat(kestrel.number("sessions", "^lost +[0-9,]+ of [0-9,]+ \\(([0-9.]+) %"))
                .isBetween(0.10, 0.19)
                .isGreaterThan(2 * kestrel.number("strict-nightly", "other days +[0-9,]+ of [0-9,]+ \\(([0-9.]+) %"));
        assertThat(kestrel.number("session-lookbacks", "^6 d +([0-9,]+) ")).isZero();
    }

    @Test
    void appendWithALookbackHoldsEverySettledShipmentFourTimes() {
        assertThat(kestrel.err("shipments-validate", 1))
                .contains("append counts every record", "append without id", "countDistinct (shipments)");
        List<MatchResult> appended = carriers("shipments-append");
        List<MatchResult> kept = carriers("shipments");
        assertThat(appended).hasSize(5);
        for (int i = 0; i < 5; i++) {
            long shipments = whole(appended.get(i).group(1));
            assertThat(whole(appended.get(i).group(2))).isEqualTo(4 * shipments);
            assertThat(whole(appended.get(i).group(3))).isBetween(shipments + 1, 4 * shipments - 1);
            assertThat(kept.get(i).groupCount()).isEqualTo(3);
            assertThat(List.of(
                            kept.get(i).group(1),
                            kept.get(i).group(2),
                            kept.get(i).group(3)))
                    .containsOnly(appended.get(i).group(1));
        }
    }

    /** Shipments, rows and delivered. */
    private static List<MatchResult> carriers(String block) {
        return Pattern.compile("(?m)^2026-11-12 +\\w+ +(\\d+) +(\\d+) +(\\d+) ")
                .matcher(kestrel.out(block))
                .results()
                .toList();
    }

    @Test
    void tidemarkLosesNothingAndNothingIsLate() {
        String run = kestrel.out("order-lines", 0);
        assertThat(CommandPage.figure(run, "records read +([0-9,]+)"))
                .isEqualTo(CommandPage.figure(run, "applied +([0-9,]+)")
                        + CommandPage.figure(run, "superseded +([0-9,]+)"))
                .isEqualTo(kestrel.number("generate", "^changes +([0-9,]+)"));
        assertThat(run).containsPattern("late +0\n").containsPattern("rejected +0\n");
        assertThat(kestrel.number("order-lines", "^ +3 +\\d+ +(\\d+) .* set")).isZero();
    }

    @Test
    void everyValueAgreesWithARecomputationAndNoRowIsMissing() {
        assertThat(kestrel.out("evidence", 0))
                .containsPattern("(?m)^rows +[0-9,]+ equal, 0 missing, 0 extra, 0 different$")
                .endsWith("equal in every row: 244 partitions\n");
        assertThat(kestrel.out("evidence", 1))
                .containsPattern("(?m)^missing +0$")
                .endsWith("passed\n");
        assertThat(kestrel.out("order-days")).contains("all partitions agree to the last digit");
    }

    @Test
    void aSecondRunOfTheNaiveLoadFindsNothingWrongWhileRowsAreMissing() {
        assertThat(kestrel.out("again")).startsWith("nothing new ");
        assertThat(kestrel.number("missing", "^missing +([0-9,]+)")).isPositive();
    }

    /** What passes at the size of the case is the total, and at any size it is the same share. */
    @Test
    void aReconciliationPassesWhileRowsAreMissingUntilTheGreatDay() {
        assertThat(kestrel.out("reconcile")).contains("910,000 USD a year may be wrong without anyone looking");
        assertThat(kestrel.number("reconcile", "^gross .* ([0-9.]+) %  +[0-9,.]+ USD"))
                .isBetween(0.015, 0.07);
        assertThat(kestrel.out("reconcile")).doesNotContain("alarm: the total");
        assertThat(kestrel.number("reconcile-great", "^gross .* ([0-9.]+) %  +[0-9,.]+ USD"))
                .isBetween(1.3, 3.0);
    }

    @Test
    void whatTheReaderPassedOverIsMissingUntilItIsRebuilt() {
        double orders = kestrel.number("strict-busy", "^lost +([0-9,]+) of");
        // 2.7 lines an order, of which one in a hundred is cancelled
        assertThat(kestrel.number("missing", "^missing +([0-9,]+)") / orders).isBetween(2.2, 3.3);
        assertThat(kestrel.out("missing")).containsPattern("(?m)^2026-11-27 05:0[01] ");
        assertThat(kestrel.out("recover", 1))
                .containsPattern("(?m)^missing +0$")
                .endsWith("passed\n");
        assertThat(kestrel.out("recover", 2)).contains("all partitions agree to the last digit");
    }

    private static long whole(String text) {
        return Long.parseLong(text.replace(",", ""));
    }

    // ----------------------------------------------------------------------------------------------------------- TTC

    @Test
    void oneMoreDayCostsTheSameWhateverLiesBeforeIt() {
        List<Double> read = List.of(
                ttcFigure("day-28", 1, "records read +([0-9,]+)"),
                ttcFigure("month-2", 3, "records read +([0-9,]+)"),
                ttcFigure("month-4", 4, "records read +([0-9,]+)"));
        List<Double> written = List.of(
                ttcFigure("day-28", 1, "cells +([0-9,]+) written"),
                ttcFigure("month-2", 3, "cells +([0-9,]+) written"),
                ttcFigure("month-4", 4, "cells +([0-9,]+) written"));
        // now and then a snapshot of the day is late, or one of another day is not any more
        assertThat(read).allMatch(changes -> Math.abs(changes / (24 * PRODUCTS) - 1) < 0.1);
        assertThat(written).allMatch(rows -> rows >= PRODUCTS && rows < 2.1 * PRODUCTS);
        assertThat(ttcFigure("day-28", 2, "records read +([0-9,]+)"))
                .isEqualTo(ttcFigure("month-4", 5, "records read +([0-9,]+)"))
                .isEqualTo(5.0 * PRODUCTS);
    }

    @Test
    void buildingAnewGrowsWithTheHistory() {
        double first = ttcFigure("all-28", 0, "records read +([0-9,]+)");
        double second = ttcFigure("month-2", 4, "records read +([0-9,]+)");
        double third = ttcFigure("month-4", 6, "records read +([0-9,]+)");
        assertThat(second / first).isBetween(2.0, 2.2);
        assertThat(third / second).isBetween(1.9, 2.1);
        assertThat(ttcFigure("month-4", 7, "records read +([0-9,]+)")).isEqualTo(119.0 * PRODUCTS);
    }

    @Test
    void tiesNeverGiveTwoRows() {
        assertThat(ttcFigure("generate", 0, "retries +([0-9,]+)")).isPositive();
        assertThat(Pattern.compile("(?m)^2024-02-29 +L100\\d +\\d+ +(\\d+) ")
                        .matcher(ttc.out("ties"))
                        .results()
                        .map(found -> found.group(1)))
                .containsExactly("100", "20");
        assertThat(ttc.out("locations")).contains("L1000", "L1001");
    }

    @Test
    void aWindowOfThreeDaysSendsTheOldCorrectionsToTheLedgerAndARebuildBringsThemIn() {
        double late = ttc.number("lateness", "too short: ([0-9,]+) changes? named");
        assertThat(late).isPositive();
        assertThat(ttcFigure("repair", 0, "late changes +([0-9,]+) marked incorporated"))
                .isEqualTo(late);
        assertThat(ttc.out("repair")).startsWith("no open late changes");
    }

    @Test
    void anotherSourceNeedsAnotherWindow() {
        assertThat(ttc.out("earthquakes"))
                .contains("too short: 220 changes named a partition older than it", "no lookback is known to suffice");
    }

    /** Each source of the table of clocks has the clocks that stand there. */
    @Test
    void theSourcesHaveTheClocksThatThePageSays() throws IOException {
        Pattern row = Pattern.compile("(?m)^\\| (`jobs/[^|]*) \\| ([^|]*) \\| ([^|]*) \\|");
        List<MatchResult> rows = row.matcher(text("ttc")).results().toList();
        assertThat(rows).hasSize(6);
        for (MatchResult found : rows) {
            for (MatchResult job : Pattern.compile("`(jobs/[^`]+)`")
                    .matcher(found.group(1))
                    .results()
                    .toList()) {
                String file = Files.readString(Path.of(job.group(1)));
                Pattern.compile("`(\\w+)`")
                        .matcher(found.group(3))
                        .results()
                        .limit(1)
                        .forEach(observed -> assertThat(file).contains("observed: " + observed.group(1)));
                Pattern.compile("`(\\w+)`")
                        .matcher(found.group(2))
                        .results()
                        .forEach(event -> assertThat(file).contains("event: " + event.group(1)));
            }
        }
    }

    private static double ttcFigure(String block, int command, String pattern) {
        return CommandPage.figure(ttc.out(block, command), pattern);
    }
}
