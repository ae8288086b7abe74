package dev.tidemark.source.kafka;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.RawRecord;
import dev.tidemark.job.KafkaPlan;
import dev.tidemark.source.Pace;
import dev.tidemark.source.StartPositions;
import dev.tidemark.source.flink.RawRecordSerializer;
import dev.tidemark.source.flink.ReaderPace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.util.clock.SystemClock;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The records of a topic: Flink's own source of Kafka, with words about its logs between the records.
 *
 * <p>A partition is a log, is a split, and is read in order by one reader. Records carry no watermarks. The emitted record is
 * reused: chain what follows, with object reuse on, for speed.
 */
public final class KafkaLogsSource
        implements Source<RawRecord, KafkaPartitionSplit, KafkaLogsState>, ResultTypeQueryable<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final KafkaPlan plan;
    private final String job;
    private final long idleTimeoutMillis;
    private final StartPositions positions;
    private final Calendar calendar;

    /** @param calendar the partitions by which logs are kept in step */
    public KafkaLogsSource(
            KafkaPlan plan, String job, long idleTimeoutMillis, StartPositions positions, Calendar calendar) {
        this.plan = plan;
        this.job = job;
        this.idleTimeoutMillis = idleTimeoutMillis;
        this.positions = positions;
        this.calendar = calendar;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED;
    }

    @Override
    public SourceReader<RawRecord, KafkaPartitionSplit> createReader(SourceReaderContext context) throws Exception {
        RecordIntake intake =
                new RecordIntake(ValueFraming.of(plan), context.metricGroup().getNumRecordsInErrorsCounter());
        Fetched fetched = new Fetched();
        Properties properties = ClientProperties.of(plan);
        properties.put(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, List.of(Fetched.Interceptor.class));
        properties.put(Fetched.PROPERTY, fetched);
        KafkaSource<RawRecord> source = source(properties, new Topic(plan.topic(), job, null), intake);
        return new KafkaLogsReader(
                context,
                source.createReader(context),
                new ReaderPace(new Pace(calendar)),
                intake,
                fetched,
                job,
                plan.topic(),
                idleTimeoutMillis,
                SystemClock.getInstance(),
                onAnswer -> new LogEnds(plan, context.getIndexOfSubtask(), onAnswer));
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaLogsState> createEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context) {
        Topic topic = new Topic(plan.topic(), job, null);
        return new LogsEnumerator(context, topic, inner -> source(topic).createEnumerator(inner));
    }

    @Override
    public SplitEnumerator<KafkaPartitionSplit, KafkaLogsState> restoreEnumerator(
            SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaLogsState state) {
        Topic topic = new Topic(plan.topic(), job, state.topicId().isEmpty() ? null : state.topicId());
        return new LogsEnumerator(context, topic, inner -> {
            try {
                return source(topic).restoreEnumerator(inner, state.partitions());
            } catch (IOException e) {
                throw new UncheckedIOException(e.getMessage(), e);
            }
        });
    }

    @Override
    public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
        return new KafkaPartitionSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<KafkaLogsState> getEnumeratorCheckpointSerializer() {
        return KafkaLogsStateSerializer.INSTANCE;
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }

    /** As an enumerator uses it: nothing is deserialized. */
    private KafkaSource<RawRecord> source(Topic topic) {
        RecordIntake none = new RecordIntake(new ValueFraming.Bare(null), new SimpleCounter());
        return source(ClientProperties.of(plan), topic, none);
    }

    private KafkaSource<RawRecord> source(Properties properties, Topic topic, RecordIntake intake) {
        return KafkaSource.<RawRecord>builder()
                .setProperties(properties)
                .setKafkaSubscriber(topic)
                .setStartingOffsets(new StartOffsets(plan, job, topic, positions))
                .setDeserializer(intake)
                .build();
    }
}
