package dev.tidemark.it.cluster;

import static dev.tidemark.it.cluster.SalesJob.sale;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What Prometheus reads of a job that runs on the cluster, with the configuration that comes with the project. */
@Tag("cluster")
@Timeout(600)
class ScrapeOnAClusterTest {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)\\{(.*)} (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern ASKED_FOR = Pattern.compile("flink_taskmanager_job_task_operator_tidemark_\\w+");
    private static final String PREFIX = "flink_taskmanager_job_task_operator_tidemark_";

    @RegisterExtension
    static final LocalCluster CLUSTER = LocalCluster.shared();

    @AfterEach
    void nothingRunsOn() throws Exception {
        CLUSTER.cancelAll();
    }

    @Test
    void prometheusReadsWhatTheAlertsAndTheDashboardAskFor() throws Exception {
        SalesJob job = SalesJob.named("scraped", CLUSTER);
        job.deliver(
                sale("a1", 1, "03-10T10:00:00", "03-10T10:00:01"),
                sale("a2", 1, "03-12T10:00:00", "03-12T10:00:01"),
                sale("a3", 1, "03-11T10:00:00", "03-12T10:00:02"),
                sale("a4", 1, "03-10T10:00:00", "03-12T10:00:03"),
                "{ poison");
        String run = job.submit();
        job.awaitPublished(run);
        Map<String, Double> read = new TreeMap<>();
        job.await(run, "all counted and observed", () -> {
            read.clear();
            read.putAll(samples("tidemark_scraped"));
            // Gauges are read one after the other, while the job goes on.
            return read.getOrDefault("recordsRead", 0.0) == 5
                    && read.getOrDefault("openLate", 0.0) == 1
                    && !read.getOrDefault("oldestOpenLate", Double.NaN).isNaN();
        });

        assertThat(read)
                .containsEntry("applied", 3.0)
                .containsEntry("late", 1.0)
                .containsEntry("rejected", 1.0)
                .containsEntry("superseded", 0.0)
                .containsEntry("split", 0.0)
                .containsEntry("failedPublications", 0.0)
                .containsEntry("age_changes age 1", 1.0)
                .containsEntry("age_changes age 2_or_more", 1.0)
                .containsEntry("maxLatenessSeconds", 2 * 86_400.0 + 3)
                .containsEntry("frontierLeast", (double)
                        Instant.parse("2024-03-12T10:00:03Z").getEpochSecond())
                .containsEntry("closedBefore", (double)
                        Instant.parse("2024-03-11T00:00:00Z").getEpochSecond())
                .containsEntry("rebuiltAt", Double.NaN);
        Set<String> names = new TreeSet<>();
        read.keySet().forEach(name -> names.add(PREFIX + name.split(" ", 2)[0]));
        for (String file : new String[] {"conf/prometheus/tidemark.rules.yml", "conf/grafana/tidemark.json"}) {
            assertThat(asked(file)).as(file).isNotEmpty().isSubsetOf(names);
        }
    }

    /** The samples of a job's publisher: the name without what all have in common, with the label age if it has one. */
    private static Map<String, Double> samples(String jobName) throws Exception {
        Map<String, Double> samples = new TreeMap<>();
        for (String line : CLUSTER.scrape()) {
            Matcher sample = SAMPLE.matcher(line);
            if (!sample.matches() || !sample.group(1).startsWith(PREFIX)) {
                continue;
            }
            Map<String, String> labels = new TreeMap<>();
            Matcher label = LABEL.matcher(sample.group(2));
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
            if (jobName.equals(labels.get("job_name"))) {
                String age = labels.get("age");
                samples.put(
                        sample.group(1).substring(PREFIX.length()) + (age == null ? "" : " age " + age),
                        Double.parseDouble(sample.group(3)));
            }
        }
        return samples;
    }

    private static Set<String> asked(String file) throws Exception {
        Set<String> names = new TreeSet<>();
        Matcher asked = ASKED_FOR.matcher(Files.readString(Path.of(file)));
        while (asked.find()) {
            names.add(asked.group());
        }
        return names;
    }
}
