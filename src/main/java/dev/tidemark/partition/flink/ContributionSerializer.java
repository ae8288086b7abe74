package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.partition.Wire;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSchemaCompatibility;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.jspecify.annotations.Nullable;

/**
 * Writes contributions with as much detail of their members as the job needs. The record id of a change in place is
 * written once.
 */
public final class ContributionSerializer extends ImmutableSerializer<Contribution> {
    private static final long serialVersionUID = 1L;
    private static final int MINUS = 1;
    private static final int PLUS = 2;
    private static final int SAME_ID = 4;

    private final MemberDetail detail;
    private final MemberSerializer members = new MemberSerializer();

    public ContributionSerializer(MemberDetail detail) {
        this.detail = detail;
    }

    @Override
    public TypeSerializer<Contribution> duplicate() {
        return new ContributionSerializer(detail);
    }

    @Override
    public Contribution createInstance() {
        return new Contribution(0, Bytes.EMPTY, null, null, Long.MIN_VALUE);
    }

    @Override
    public void serialize(Contribution contribution, DataOutputView target) throws IOException {
        Member minus = contribution.minus();
        Member plus = contribution.plus();
        boolean sameId = minus != null && plus != null && minus.recordId().equals(plus.recordId());
        Wire.writeSigned(target, contribution.partition());
        Wire.writeSigned(target, contribution.purgeBefore());
        Wire.writeBytes(target, contribution.key());
        target.writeByte((minus == null ? 0 : MINUS) | (plus == null ? 0 : PLUS) | (sameId ? SAME_ID : 0));
        if (minus != null) {
            writeId(minus, target);
            members.serialize(minus, detail, target);
        }
        if (plus != null) {
            if (!sameId) {
                writeId(plus, target);
            }
            members.serialize(plus, detail, target);
        }
    }

    @Override
    public Contribution deserialize(DataInputView source) throws IOException {
        long partition = Wire.readSigned(source);
        long purgeBefore = Wire.readSigned(source);
        Bytes key = Wire.readBytes(source);
        int flags = source.readByte();
        Member minus = null;
        if ((flags & MINUS) != 0) {
            Bytes id = readId(source);
            minus = members.deserialize(id, detail, source);
        }
        Member plus = null;
        if ((flags & PLUS) != 0) {
            Bytes id = (flags & SAME_ID) != 0 && minus != null ? minus.recordId() : readId(source);
            plus = members.deserialize(id, detail, source);
        }
        return new Contribution(partition, key, minus, plus, purgeBefore);
    }

    private void writeId(Member member, DataOutputView target) throws IOException {
        if (detail == MemberDetail.FULL) {
            Wire.writeBytes(target, member.recordId());
        }
    }

    private Bytes readId(DataInputView source) throws IOException {
        return detail == MemberDetail.FULL ? Wire.readBytes(source) : Bytes.EMPTY;
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
    public static final class Snapshot implements TypeSerializerSnapshot<Contribution> {
        private static final int VERSION = 1;

        private @Nullable MemberDetail detail;

        /** For Flink, which reads it afterwards. */
        public Snapshot() {}

        private Snapshot(MemberDetail detail) {
            this.detail = detail;
        }

        @Override
        public int getCurrentVersion() {
            return VERSION;
        }

        @Override
        public void writeSnapshot(DataOutputView out) throws IOException {
            out.writeUTF(known().name());
        }

        @Override
        public void readSnapshot(int version, DataInputView in, ClassLoader loader) throws IOException {
            FormatSnapshot.refuseOther(version, VERSION, Snapshot.class);
            detail = MemberDetail.valueOf(in.readUTF());
        }

        @Override
        public TypeSerializer<Contribution> restoreSerializer() {
            return new ContributionSerializer(known());
        }

        @Override
        public TypeSerializerSchemaCompatibility<Contribution> resolveSchemaCompatibility(
                TypeSerializerSnapshot<Contribution> old) {
            return old instanceof Snapshot snapshot && snapshot.detail == detail
                    ? TypeSerializerSchemaCompatibility.compatibleAsIs()
                    : TypeSerializerSchemaCompatibility.incompatible();
        }

        private MemberDetail known() {
            if (detail == null) {
                throw new IllegalStateException("The snapshot has not been read yet");
            }
            return detail;
        }
    }
}
