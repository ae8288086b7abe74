package dev.tidemark.kit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.job.Field;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.History.LogFile;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A generated log whose records are dealt to the partitions of a topic by their ids, in the one order in which they came
 * about: what a producer sends while a job runs. Because all partitions go by one clock, none of them is ever far behind,
 * whenever a job reads it.
 *
 * <p>Of the partitions one falls silent after a while, and one is never used.
 */
public final class DealtHistory {
    private static final ObjectMapper JSON = new ObjectMapper();
    /** A part in so many of the records is over when one partition falls silent. */
    private static final int SILENT_AFTER = 8;

    /** One record on its way to its partition. */
    public static final class Delivery {
        private final int partition;
        private final byte[] payload;
        private final Instant timestamp;

        Delivery(int partition, byte[] payload, Instant timestamp) {
            this.partition = partition;
            this.payload = payload.clone();
            this.timestamp = timestamp;
        }

        public int partition() {
            return partition;
        }

        public byte[] payload() {
            return payload.clone();
        }

        public Instant timestamp() {
            return timestamp;
        }
    }

    private final String name;
    private final JobPlan plan;
    private final int partitions;
    private final List<Delivery> deliveries;

    private DealtHistory(String name, JobPlan plan, int partitions, List<Delivery> deliveries) {
        this.name = name;
        this.plan = plan;
        this.partitions = partitions;
        this.deliveries = List.copyOf(deliveries);
    }

    /**
     * The history of this seed and profile, always the same.
     *
     * @param profile of one log
     * @param partitions at least three: the last is never used, the one before it falls silent
     */
    public static DealtHistory random(long seed, Profile profile, int partitions) {
        History drawn = Histories.random(seed, profile);
        List<SourceRecord> records = drawn.records();
        List<Delivery> deliveries = new ArrayList<>();
        Instant timestamp = Instant.parse("2026-01-01T00:00:00Z");
        for (int i = 0; i < records.size(); i++) {
            byte[] payload = records.get(i).payload();
            int partition = Math.floorMod(id(drawn.plan(), payload).hashCode(), partitions - 1);
            if (partition < partitions - 2 || i < records.size() / SILENT_AFTER) {
                deliveries.add(new Delivery(partition, payload, timestamp.plusMillis(i)));
            }
        }
        return new DealtHistory(
                "seed " + seed + " dealt to " + partitions + ", " + profile, drawn.plan(), partitions, deliveries);
    }

    public JobPlan plan() {
        return plan;
    }

    public int partitions() {
        return partitions;
    }

    /** The records in the order in which they are sent. */
    public List<Delivery> deliveries() {
        return deliveries;
    }

    /**
     * What a job has to read when so many have been sent.
     *
     * @param job the plan of the job that reads it
     */
    public History sent(String topic, JobPlan job, int count) {
        Map<Integer, List<byte[]>> lines = new HashMap<>();
        Map<Integer, List<Instant>> timestamps = new HashMap<>();
        for (Delivery delivery : deliveries.subList(0, count)) {
            lines.computeIfAbsent(delivery.partition(), key -> new ArrayList<>())
                    .add(delivery.payload());
            timestamps
                    .computeIfAbsent(delivery.partition(), key -> new ArrayList<>())
                    .add(delivery.timestamp());
        }
        List<LogFile> files = new ArrayList<>();
        for (int partition = 0; partition < partitions; partition++) {
            files.add(new LogFile(
                    topic + "-" + partition,
                    lines.getOrDefault(partition, List.of()),
                    timestamps.getOrDefault(partition, List.of())));
        }
        return new History(name, job, files);
    }

    /** What keeps the changes of one record together; damaged ones have no record. */
    private static String id(JobPlan plan, byte[] payload) {
        try {
            JsonNode record = JSON.readTree(payload);
            StringBuilder id = new StringBuilder();
            for (Field field : plan.changes().id()) {
                id.append(record.path(field.name()).asText()).append('\u0000');
            }
            return id.toString();
        } catch (JsonProcessingException damaged) {
            return "";
        } catch (java.io.IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
