package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.wire.Wire;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes contributions with as much detail of their members as the job needs. The record id of a change in place is
 * written once. Never part of state.
 */
public final class ContributionSerializer extends WireSerializer<Contribution> {
    private static final long serialVersionUID = 1L;
    private static final int MINUS = 1;
    private static final int PLUS = 2;
    private static final int SAME_ID = 4;
    private static final int PUBLISHED = 8;
    private static final int WITHHELD = 16;

    private final MemberDetail detail;
    private final MemberSerializer members = new MemberSerializer();

    public ContributionSerializer(MemberDetail detail) {
        this.detail = detail;
    }

    /** The type of the edge from membership to the cells. */
    public static WireTypeInfo<Contribution> type(MemberDetail detail) {
        return WireTypeInfo.of(Contribution.class, new ContributionSerializer(detail));
    }

    @Override
    public TypeSerializer<Contribution> duplicate() {
        return new ContributionSerializer(detail);
    }

    @Override
    protected void write(Contribution contribution, DataOutputView out) throws IOException {
        Member minus = contribution.minus();
        Member plus = contribution.plus();
        boolean sameId = minus != null && plus != null && minus.recordId().equals(plus.recordId());
        Wire.writeSigned(contribution.partition(), out);
        Wire.writeBytes(contribution.key(), out);
        out.writeByte((minus == null ? 0 : MINUS)
                | (plus == null ? 0 : PLUS)
                | (sameId ? SAME_ID : 0)
                | flag(contribution.layer()));
        if (minus != null) {
            writeId(minus, out);
            members.write(minus, detail, out);
        }
        if (plus != null) {
            if (!sameId) {
                writeId(plus, out);
            }
            members.write(plus, detail, out);
        }
    }

    @Override
    protected Contribution read(DataInputView in) throws IOException {
        long partition = Wire.readSigned(in);
        Bytes key = Wire.readBytes(in);
        int flags = in.readByte();
        Member minus = null;
        if ((flags & MINUS) != 0) {
            Bytes id = readId(in);
            minus = members.read(id, detail, in);
        }
        Member plus = null;
        if ((flags & PLUS) != 0) {
            Bytes id = (flags & SAME_ID) != 0 && minus != null ? minus.recordId() : readId(in);
            plus = members.read(id, detail, in);
        }
        return new Contribution(partition, key, minus, plus, layer(flags));
    }

    private static int flag(Layer layer) {
        return switch (layer) {
            case BOTH -> 0;
            case PUBLISHED -> PUBLISHED;
            case WITHHELD -> WITHHELD;
        };
    }

    private static Layer layer(int flags) {
        if ((flags & PUBLISHED) != 0) {
            return Layer.PUBLISHED;
        }
        return (flags & WITHHELD) == 0 ? Layer.BOTH : Layer.WITHHELD;
    }

    private void writeId(Member member, DataOutputView out) throws IOException {
        if (detail == MemberDetail.FULL) {
            Wire.writeBytes(member.recordId(), out);
        }
    }

    private Bytes readId(DataInputView in) throws IOException {
        return detail == MemberDetail.FULL ? Wire.readBytes(in) : Bytes.EMPTY;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ContributionSerializer serializer && serializer.detail == detail;
    }

    @Override
    public int hashCode() {
        return detail.name().hashCode();
    }

    @Override
    public TypeSerializerSnapshot<Contribution> snapshotConfiguration() {
        return new Snapshot(detail);
    }

    /** Version 1: the detail by name. */
    public static final class Snapshot extends FormatSnapshot<Contribution> {
        /** For Flink, which reads it afterwards. */
        public Snapshot() {
            this(MemberDetail.FULL);
        }

        private Snapshot(MemberDetail detail) {
            super(
                    1,
                    List.of(detail.name()),
                    meaning -> new ContributionSerializer(MemberDetail.valueOf(meaning.get(0))));
        }
    }
}
