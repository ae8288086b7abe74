package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.source.flink.RawRecordSerializer;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.DeserializationSchema.InitializationContext;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Makes raw records of a topic's, as {@link RecordIntake} does. One record object is emitted again and again. */
final class HistoryIntake implements KafkaRecordDeserializationSchema<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final KafkaPlan plan;
    private transient @Nullable ValueFraming framing;
    private transient @Nullable RawRecord record;
    private transient @Nullable Map<Integer, String> logs;

    HistoryIntake(KafkaPlan plan) {
        this.plan = plan;
    }

    @Override
    public void open(InitializationContext context) {
        framing = ValueFraming.of(plan);
        record = new RawRecord();
        logs = new HashMap<>();
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> from, Collector<RawRecord> out) throws IOException {
        String log = Objects.requireNonNull(logs, "open")
                .computeIfAbsent(from.partition(), number -> from.topic() + "-" + number);
        RawRecord into = Objects.requireNonNull(record, "open");
        RecordIntake.read(from, log, Objects.requireNonNull(framing, "open"), into);
        out.collect(into);
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }
}
