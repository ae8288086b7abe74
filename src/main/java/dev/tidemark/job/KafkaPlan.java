package dev.tidemark.job;

import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A topic, each of whose partitions is a log.
 *
 * @param framing what stands before an Avro value; null: values are JSON
 * @param writerSchema of {@link Framing#RAW}: the schema that all values were written with, as JSON
 * @param schemas the writer schemas that are known beforehand, as JSON: by their fingerprint, or by their id in the registry
 * @param registry of {@link Framing#CONFLUENT}: the address of the registry; null: all schemas are in {@code schemas}
 * @param startupMillis of {@link Startup#TIMESTAMP}: milliseconds since the epoch
 * @param properties what the Kafka client is told besides, secrets included
 * @param discoverMillis how often added partitions are looked for
 */
public record KafkaPlan(
        String bootstrapServers,
        String topic,
        @Nullable Framing framing,
        @Nullable String writerSchema,
        Map<Long, String> schemas,
        @Nullable String registry,
        Startup startup,
        long startupMillis,
        Map<String, String> properties,
        long discoverMillis)
        implements Serializable {

    /** What stands before an Avro value. */
    public enum Framing {
        /** Nothing: all values have one writer schema. */
        RAW,
        /** Avro's own: C3 01 and the fingerprint of the writer schema, CRC-64-AVRO, in little-endian order. */
        SINGLE_OBJECT,
        /** A zero byte and the id of the writer schema in a registry, four bytes in big-endian order. */
        CONFLUENT
    }

    /** Where the first submission begins to read. */
    public enum Startup {
        /** At the first record that there is. */
        EARLIEST,
        /** Behind the last record that there is. */
        LATEST,
        /** At the first record whose timestamp in Kafka is not before an instant. */
        TIMESTAMP
    }
}
