package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;
import org.jspecify.annotations.Nullable;

/** Carries a {@link RawRecord} between tasks that are not chained. Never in state, hence without a version of its own. */
public final class RawRecordSerializer extends TypeSerializerSingleton<RawRecord> {
    private static final long serialVersionUID = 1L;

    public static final RawRecordSerializer INSTANCE = new RawRecordSerializer();

    private RawRecordSerializer() {}

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public RawRecord createInstance() {
        return new RawRecord();
    }

    @Override
    public RawRecord copy(RawRecord from) {
        return copy(from, new RawRecord());
    }

    @Override
    public RawRecord copy(RawRecord from, RawRecord reuse) {
        reuse.log = from.log;
        reuse.split = from.split;
        reuse.offset = from.offset;
        reuse.sequence = from.sequence;
        reuse.bytes = Arrays.copyOfRange(from.bytes, from.start, from.start + from.length);
        reuse.start = 0;
        reuse.length = from.length;
        reuse.writerSchema = from.writerSchema;
        reuse.damage = from.damage;
        reuse.wholeLength = from.wholeLength;
        return reuse;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(RawRecord record, DataOutputView target) throws IOException {
        StringValue.writeString(record.log, target);
        StringValue.writeString(record.split, target);
        target.writeLong(record.offset);
        target.writeLong(record.sequence);
        target.writeInt(record.length);
        target.write(record.bytes, record.start, record.length);
        StringValue.writeString(record.writerSchema, target);
        StringValue.writeString(record.damage, target);
        target.writeLong(record.wholeLength);
    }

    @Override
    public RawRecord deserialize(DataInputView source) throws IOException {
        return deserialize(new RawRecord(), source);
    }

    @Override
    public RawRecord deserialize(RawRecord reuse, DataInputView source) throws IOException {
        reuse.log = StringValue.readString(source);
        reuse.split = StringValue.readString(source);
        reuse.offset = source.readLong();
        reuse.sequence = source.readLong();
        reuse.length = source.readInt();
        reuse.start = 0;
        reuse.bytes = new byte[reuse.length];
        source.readFully(reuse.bytes);
        reuse.writerSchema = sameAs(reuse.writerSchema, StringValue.readString(source));
        reuse.damage = StringValue.readString(source);
        reuse.wholeLength = source.readLong();
        return reuse;
    }

    @Override
    public void copy(DataInputView source, DataOutputView target) throws IOException {
        serialize(deserialize(source), target);
    }

    @Override
    public TypeSerializerSnapshot<RawRecord> snapshotConfiguration() {
        return new Snapshot();
    }

    private static @Nullable String sameAs(@Nullable String before, @Nullable String now) {
        return before != null && before.equals(now) ? before : now;
    }

    /** Names the serializer in Flink's metadata. */
    public static final class Snapshot extends SimpleTypeSerializerSnapshot<RawRecord> {
        public Snapshot() {
            super(() -> INSTANCE);
        }
    }
}
