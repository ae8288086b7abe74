package dev.tidemark.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The schemas besides the reader's that the job file names for a topic, as they were read.
 *
 * @param reader the reader schema itself; null: it could not be read
 * @param writer {@code source.kafka.writerSchema}; null: not named, or it could not be read
 * @param folder what is in {@code source.kafka.schemas}; null: not named, or it could not be read
 */
public record WriterSchemas(
        @Nullable Known reader,
        @Nullable Known writer,
        @Nullable List<Known> folder) {

    /** None are named. */
    public static final WriterSchemas NONE = new WriterSchemas(null, null, null);

    /**
     * One schema.
     *
     * @param name of its file, without {@code .avsc}
     * @param json the schema
     * @param fingerprint CRC-64-AVRO of its canonical form
     */
    public record Known(String name, String json, long fingerprint) {}
}
