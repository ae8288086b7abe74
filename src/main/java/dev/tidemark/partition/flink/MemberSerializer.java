package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.wire.RepeatedText;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes members with all their details, or with as many as a contribution carries. */
public final class MemberSerializer extends WireSerializer<Member> {
    private static final long serialVersionUID = 1L;

    private final RepeatedText log = new RepeatedText();

    @Override
    public TypeSerializer<Member> duplicate() {
        return new MemberSerializer();
    }

    @Override
    protected void write(Member member, DataOutputView out) throws IOException {
        Wire.writeBytes(member.recordId(), out);
        write(member, MemberDetail.FULL, out);
    }

    @Override
    protected Member read(DataInputView in) throws IOException {
        Bytes recordId = Wire.readBytes(in);
        return read(recordId, MemberDetail.FULL, in);
    }

    /** Writes what the detail asks for, without the record id. */
    void write(Member member, MemberDetail detail, DataOutputView out) throws IOException {
        if (detail == MemberDetail.FULL) {
            Wire.writeBytes(member.version(), out);
            log.write(member.log(), out);
            Wire.writeSigned(member.sequence(), out);
            out.writeLong(member.eventTime());
        }
        Wire.writeBytes(member.row(), out);
        out.writeLong(member.hash());
    }

    /** Reads what {@link #write(Member, MemberDetail, DataOutputView)} wrote. */
    Member read(Bytes recordId, MemberDetail detail, DataInputView in) throws IOException {
        if (detail == MemberDetail.SUMMARY) {
            Bytes row = Wire.readBytes(in);
            return new Member(recordId, Bytes.EMPTY, "", 0, 0, row, in.readLong());
        }
        return new Member(
                recordId,
                Wire.readBytes(in),
                log.read(in),
                Wire.readSigned(in),
                in.readLong(),
                Wire.readBytes(in),
                in.readLong());
    }

    @Override
    public TypeSerializerSnapshot<Member> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Member> {
        public Snapshot() {
            super(1, MemberSerializer::new);
        }
    }
}
