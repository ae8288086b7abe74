package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.partition.Wire;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes members with all their details. The names of logs, of which there are few, are the same String as long as they
 * follow each other: it remembers the last one written and read, and so is not to be shared by threads.
 */
public final class MemberSerializer extends ImmutableSerializer<Member> {
    private static final long serialVersionUID = 1L;

    private transient LastLog written = new LastLog("", Bytes.EMPTY);
    private transient LastLog read = new LastLog("", Bytes.EMPTY);

    @Override
    public TypeSerializer<Member> duplicate() {
        return new MemberSerializer();
    }

    @Override
    public Member createInstance() {
        return new Member(Bytes.EMPTY, Bytes.EMPTY, "", 0, 0, Bytes.EMPTY, 0);
    }

    @Override
    public void serialize(Member member, DataOutputView target) throws IOException {
        Wire.writeBytes(target, member.recordId());
        serialize(member, MemberDetail.FULL, target);
    }

    @Override
    public Member deserialize(DataInputView source) throws IOException {
        Bytes recordId = Wire.readBytes(source);
        return deserialize(recordId, MemberDetail.FULL, source);
    }

    /** Writes what the detail asks for, without the record id. */
    void serialize(Member member, MemberDetail detail, DataOutputView target) throws IOException {
        if (detail == MemberDetail.FULL) {
            Wire.writeBytes(target, member.version());
            writeLog(member.log(), target);
            Wire.writeSigned(target, member.sequence());
            target.writeLong(member.eventTime());
        }
        Wire.writeBytes(target, member.row());
        target.writeLong(member.hash());
    }

    /** Reads what {@link #serialize(Member, MemberDetail, DataOutputView)} wrote. */
    Member deserialize(Bytes recordId, MemberDetail detail, DataInputView source) throws IOException {
        if (detail == MemberDetail.SUMMARY) {
            Bytes row = Wire.readBytes(source);
            return new Member(recordId, Bytes.EMPTY, "", 0, 0, row, source.readLong());
        }
        Bytes version = Wire.readBytes(source);
        String log = readLog(source);
        long sequence = Wire.readSigned(source);
        long eventTime = source.readLong();
        Bytes row = Wire.readBytes(source);
        return new Member(recordId, version, log, sequence, eventTime, row, source.readLong());
    }

    private void writeLog(String log, DataOutputView target) throws IOException {
        if (!written.text.equals(log)) {
            written = new LastLog(log, Bytes.utf8(log));
        }
        Wire.writeBytes(target, written.utf8);
    }

    private String readLog(DataInputView source) throws IOException {
        Bytes utf8 = Wire.readBytes(source);
        if (!utf8.equals(read.utf8)) {
            read = new LastLog(utf8.text(), utf8);
        }
        return read.text;
    }

    /** A serializer that arrives with its operator has written and read nothing. */
    private Object readResolve() {
        return new MemberSerializer();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemberSerializer;
    }

    @Override
    public int hashCode() {
        return MemberSerializer.class.hashCode();
    }

    @Override
    public TypeSerializerSnapshot<Member> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Member> {
        public Snapshot() {
            super(1);
        }

        @Override
        public TypeSerializer<Member> restoreSerializer() {
            return new MemberSerializer();
        }
    }

    private record LastLog(String text, Bytes utf8) {}
}
