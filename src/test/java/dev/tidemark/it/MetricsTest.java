package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.Aggregate;
import dev.tidemark.kit.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What a job tells the systems that watch it, and that alert rules and the dashboard ask for nothing else. */
@Timeout(300)
class MetricsTest {
    private static final Pattern ASKED_FOR =
            Pattern.compile("flink_taskmanager_job_task_operator_tidemark_(age_)?([A-Za-z]+)");

    private static final InMemoryReporter REPORTER = InMemoryReporter.createWithRetainedMetrics();

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @RegisterExtension
    static final MiniClusterExtension FLINK = new MiniClusterExtension(new MiniClusterResourceConfiguration.Builder()
            .setNumberTaskManagers(1)
            .setNumberSlotsPerTaskManager(2)
            .setConfiguration(REPORTER.addToConfiguration(new Configuration()))
            .build());

    @TempDir
    Path folder;

    private static OrderLine line(String day, String seen) {
        return upsert(day + seen, 1).at("2026-" + day + "T10:00:00Z").seen("2026-" + seen + "T11:00:00Z");
    }

    @Test
    void whatHappenedIsToldOnceAndWhereTheJobStandsAsOfItsLastPublication() throws Exception {
        WholeJob job = WholeJob.watching(
                "metered",
                products()
                        .withLookback(2, 4)
                        .withColumn("quantity", Aggregate.SUM, QUANTITY)
                        .plan(),
                POSTGRES,
                folder);
        job.deliver(
                "1.json",
                line("08-20", "08-20"),
                line("08-23", "08-23"),
                line("08-21", "08-23"),
                line("08-20", "08-23"),
                line("08-23", "08-23"));
        Instant before = Instant.now().minusSeconds(60);
        JobClient run = job.submit(2, Duration.ofMillis(50));
        job.awaitPublished(run);
        WholeJob.await(run, "all counted", () -> values(run).getOrDefault("recordsRead", 0.0) == 5);
        Map<String, Double> told = values(run);
        WholeJob.cancel(run);

        assertThat(told)
                .containsEntry("recordsRead", 5.0)
                .containsEntry("applied", 3.0)
                .containsEntry("superseded", 1.0)
                .containsEntry("late", 1.0)
                .containsEntry("split", 0.0)
                .containsEntry("rejected", 0.0)
                .containsEntry("halfWindowExceeded", 1.0)
                .containsEntry("failedPublications", 0.0)
                .containsEntry("age 0 changes", 2.0)
                .containsEntry("age 1 changes", 0.0)
                .containsEntry("age 2 changes", 1.0)
                .containsEntry("age 3_or_more changes", 1.0)
                .containsEntry("maxLatenessSeconds", 3 * 86_400.0 + 3_600)
                .doesNotContainKey("age 4 changes");

        // From nothing again: nothing is counted twice, and the first observation is of what stands.
        JobClient again = job.submit(1, Duration.ofMillis(50));
        WholeJob.await(again, "a checkpoint", () -> !job.checkpoints(again).isEmpty());
        Map<String, Double> stands = values(again);
        WholeJob.cancel(again);
        assertThat(stands)
                .containsEntry("recordsRead", 0.0)
                .containsEntry("frontierLeast", seconds("2026-08-23T11:00:00Z"))
                .containsEntry("frontierGreatest", seconds("2026-08-23T11:00:00Z"))
                .containsEntry("closedBefore", seconds("2026-08-21T00:00:00Z"))
                .containsEntry("completeFrom", seconds("2026-08-21T00:00:00Z"))
                .containsEntry("openLate", 1.0)
                .containsEntry("rebuiltAt", Double.NaN);
        assertThat(stands.get("publishedAt")).isGreaterThan((double) before.getEpochSecond());
        assertThat(stands.get("oldestOpenLate")).isGreaterThan((double) before.getEpochSecond());
        assertThat(stands.get("publication"))
                .isEqualTo(Double.parseDouble(
                        job.publications("max(publication) over ()").get(0)));

        Set<String> names = new TreeSet<>();
        told.keySet().forEach(name -> names.add(name.replaceAll("^age \\S+ ", "age_")));
        assertThat(asked("conf/prometheus/tidemark.rules.yml")).isNotEmpty().isSubsetOf(names);
        assertThat(asked("conf/grafana/tidemark.json")).isNotEmpty().isSubsetOf(names);
    }

    @Test
    void alertRulesAndTheDashboardCanBeRead() throws Exception {
        Object rules = new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(Path.of("conf/prometheus/tidemark.rules.yml")));
        List<String> alerts = new ArrayList<>();
        for (Object group : (List<?>) Objects.requireNonNull(((Map<?, ?>) rules).get("groups"))) {
            for (Object rule : (List<?>) Objects.requireNonNull(((Map<?, ?>) group).get("rules"))) {
                Map<?, ?> alert = (Map<?, ?>) rule;
                alerts.add(String.valueOf(alert.get("alert")));
                assertThat(alert.containsKey("expr")).as("%s", alert).isTrue();
                assertThat(String.valueOf(alert.get("annotations"))).contains("way_out=");
            }
        }
        assertThat(alerts)
                .contains(
                        "TidemarkPublicationOverdue",
                        "TidemarkFrontierOld",
                        "TidemarkHalfWindowExceeded",
                        "TidemarkRejecting",
                        "TidemarkLateChangesUnattended");
        assertThat(new ObjectMapper()
                        .readTree(Files.readString(Path.of("conf/grafana/tidemark.json")))
                        .get("panels"))
                .hasSizeGreaterThan(8);
        assertThat(new Load(LoadSettings.builder().build())
                        .loadFromString(Files.readString(Path.of("conf/prometheus/prometheus.yml"))))
                .isInstanceOf(Map.class);
    }

    private static Set<String> asked(String file) throws Exception {
        Set<String> names = new TreeSet<>();
        Matcher asked = ASKED_FOR.matcher(Files.readString(Path.of(file)));
        while (asked.find()) {
            names.add((asked.group(1) == null ? "" : asked.group(1)) + asked.group(2));
        }
        return names;
    }

    private static double seconds(String instant) {
        return Instant.parse(instant).getEpochSecond();
    }

    /** What the operator that publishes tells, by name. */
    private static Map<String, Double> values(JobClient run) {
        Map<String, Double> values = new TreeMap<>();
        REPORTER.getMetricsByGroup().forEach((group, metrics) -> {
            Map<String, String> scope = group.getAllVariables();
            if (run.getJobID().toString().equals(scope.get("<job_id>"))
                    && "publish".equals(scope.get("<operator_name>"))) {
                metrics.forEach((name, metric) -> {
                    String identifier = group.getMetricIdentifier(name);
                    int at = identifier.indexOf(".tidemark.");
                    if (at >= 0) {
                        values.put(
                                identifier.substring(at + ".tidemark.".length()).replace('.', ' '), number(metric));
                    }
                });
            }
        });
        return values;
    }

    private static double number(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        return ((Number) ((Gauge<?>) metric).getValue()).doubleValue();
    }
}
