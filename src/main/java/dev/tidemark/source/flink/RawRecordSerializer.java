package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RawRecord.Kind;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/** Carries a {@link RawRecord} between tasks that are not chained. Never in state. */
public final class RawRecordSerializer extends TypeSerializerSingleton<RawRecord> {
    private static final long serialVersionUID = 1L;

    public static final RawRecordSerializer INSTANCE = new RawRecordSerializer();
    public static final WireTypeInfo<RawRecord> TYPE = WireTypeInfo.of(RawRecord.class, INSTANCE);

    private static final List<Kind> KINDS = List.of(Kind.RECORD, Kind.TAKEN, Kind.QUIET, Kind.READY);
    private static final int TOMBSTONE = 1;
    private static final int BEGINS = 2;
    private static final int WHOLE = 4;

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
        reuse.kind = from.kind;
        reuse.log = from.log;
        reuse.split = from.split;
        reuse.offset = from.offset;
        reuse.sequence = from.sequence;
        reuse.bytes = Arrays.copyOfRange(from.bytes, from.start, from.start + from.length);
        reuse.start = 0;
        reuse.length = from.length;
        reuse.writerSchema = from.writerSchema;
        reuse.damage = from.damage;
        reuse.timestamp = from.timestamp;
        reuse.recordKey = from.recordKey == null ? null : from.recordKey.clone();
        reuse.tombstone = from.tombstone;
        reuse.begins = from.begins;
        reuse.whole = from.whole;
        reuse.frontier = from.frontier;
        reuse.wholeLength = from.wholeLength;
        return reuse;
    }

    @Override
    public int getLength() {
        return -1;
    }

    @Override
    public void serialize(RawRecord record, DataOutputView target) throws IOException {
        target.writeByte(KINDS.indexOf(record.kind));
        Wire.writeText(record.log, target);
        Wire.writeText(record.split, target);
        Wire.writeSigned(record.offset, target);
        Wire.writeSigned(record.sequence, target);
        Wire.writeUnsigned(record.length, target);
        target.write(record.bytes, record.start, record.length);
        Wire.writeNullableText(record.writerSchema, target);
        Wire.writeNullableText(record.damage, target);
        target.writeLong(record.timestamp);
        byte[] key = record.recordKey;
        target.writeBoolean(key != null);
        if (key != null) {
            Wire.writeUnsigned(key.length, target);
            target.write(key);
        }
        target.writeByte(
                (record.tombstone ? TOMBSTONE : 0) | (record.begins ? BEGINS : 0) | (record.whole ? WHOLE : 0));
        target.writeLong(record.frontier);
        Wire.writeSigned(record.wholeLength, target);
    }

    @Override
    public RawRecord deserialize(DataInputView source) throws IOException {
        return deserialize(new RawRecord(), source);
    }

    @Override
    public RawRecord deserialize(RawRecord reuse, DataInputView source) throws IOException {
        reuse.kind = KINDS.get(source.readByte());
        reuse.log = Wire.readText(source);
        reuse.split = Wire.readText(source);
        reuse.offset = Wire.readSigned(source);
        reuse.sequence = Wire.readSigned(source);
        reuse.length = Wire.readUnsigned(source);
        reuse.start = 0;
        reuse.bytes = new byte[reuse.length];
        source.readFully(reuse.bytes);
        reuse.writerSchema = sameAs(reuse.writerSchema, Wire.readNullableText(source));
        reuse.damage = Wire.readNullableText(source);
        reuse.timestamp = source.readLong();
        reuse.recordKey = null;
        if (source.readBoolean()) {
            byte[] key = new byte[Wire.readUnsigned(source)];
            source.readFully(key);
            reuse.recordKey = key;
        }
        int flags = source.readByte();
        reuse.tombstone = (flags & TOMBSTONE) != 0;
        reuse.begins = (flags & BEGINS) != 0;
        reuse.whole = (flags & WHOLE) != 0;
        reuse.frontier = source.readLong();
        reuse.wholeLength = Wire.readSigned(source);
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

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<RawRecord> {
        public Snapshot() {
            super(1, () -> INSTANCE);
        }
    }
}
