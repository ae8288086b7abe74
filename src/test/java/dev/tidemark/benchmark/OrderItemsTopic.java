package dev.tidemark.benchmark;

import dev.tidemark.generate.avro.ExampleSchemas;
import dev.tidemark.generate.kafka.TopicRecords;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Sends the changes of a file to a topic: those of one order to one partition, in their order. */
final class OrderItemsTopic {
    private OrderItemsTopic() {}

    /** Says how many there were. All are in the topic when it returns. */
    static long fill(String bootstrapServers, String topic, int partitions, Path file) throws IOException {
        try (DataFileReader<GenericRecord> in = new DataFileReader<>(file.toFile(), new GenericDatumReader<>())) {
            Schema schema = in.getSchema();
            GenericDatumWriter<GenericRecord> writer = new GenericDatumWriter<>(schema);
            ByteArrayOutputStream value = new ByteArrayOutputStream();
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(value, null);
            TopicRecords out =
                    TopicRecords.open(bootstrapServers, topic, partitions, ExampleSchemas.singleObjectHeader(schema));
            try (out) {
                GenericRecord record = null;
                while (in.hasNext()) {
                    record = in.next(record);
                    value.reset();
                    writer.write(record, encoder);
                    out.accept((long) record.get("order_id"), (long) record.get("ingested_at"), value.toByteArray());
                }
            }
            return out.records();
        }
    }
}
