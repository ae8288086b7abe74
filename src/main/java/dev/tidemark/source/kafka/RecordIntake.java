package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import dev.tidemark.source.flink.RawRecordSerializer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.metrics.Counter;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** Makes raw records of what one reader's consumer gives. One record object is emitted again and again. */
final class RecordIntake implements KafkaRecordDeserializationSchema<RawRecord> {
    private static final long serialVersionUID = 1L;
    private static final byte[] NOTHING = {};

    private final transient ValueFraming framing;
    private final transient Counter damaged;
    private final transient RawRecord record = new RawRecord();
    private transient @Nullable ReadLog[] logs = new ReadLog[0];

    RecordIntake(ValueFraming framing, Counter damaged) {
        this.framing = framing;
        this.damaged = damaged;
    }

    /** A partition is read from now on. */
    void take(ReadLog log) {
        int number = log.partition.partition();
        if (number >= logs.length) {
            logs = Arrays.copyOf(logs, number + 1);
        }
        logs[number] = log;
    }

    /** The partitions that are read. */
    Collection<ReadLog> logs() {
        List<ReadLog> taken = new ArrayList<>();
        for (ReadLog log : logs) {
            if (log != null) {
                taken.add(log);
            }
        }
        return taken;
    }

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> from, Collector<RawRecord> out) throws IOException {
        ReadLog log = Objects.requireNonNull(logs[from.partition()], "a record of a partition that was not taken");
        RawRecord into = record;
        read(from, log.name, framing, into);
        if (into.damage != null) {
            damaged.inc();
        }
        out.collect(into);
        log.next = from.offset() + 1;
        log.hasMoved = true;
        log.isQuiet = false;
        log.pace.reached(into.frontier);
    }

    /** What a record of the broker says, as a raw record of a log. */
    static void read(ConsumerRecord<byte[], byte[]> from, String log, ValueFraming framing, RawRecord into)
            throws IOException {
        into.log = log;
        into.split = log;
        into.offset = from.offset();
        into.sequence = from.offset();
        into.timestamp = from.timestampType() == TimestampType.NO_TIMESTAMP_TYPE || from.timestamp() < 0
                ? RawRecord.UNKNOWN
                : micros(from.timestamp());
        into.recordKey = from.key();
        into.frontier = RawRecord.UNKNOWN;
        byte[] value = from.value();
        into.tombstone = value == null;
        if (value == null) {
            withdraw(from.key(), framing, into);
        } else {
            framing.frame(value, into);
        }
    }

    /** The nearest there is: a producer may say any time. */
    private static long micros(long millis) {
        return millis > Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : millis * 1000;
    }

    /** The key stands for the value: what is kept if the record is rejected, and framed as the values are, or not at all. */
    private static void withdraw(byte @Nullable [] key, ValueFraming framing, RawRecord into) throws IOException {
        ValueFraming.whole(key == null ? NOTHING : key, into);
        if (key != null && framing.isFramed(key)) {
            framing.frame(key, into);
        }
    }

    @Override
    public TypeInformation<RawRecord> getProducedType() {
        return RawRecordSerializer.TYPE;
    }
}
