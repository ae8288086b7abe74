package dev.tidemark.partition.flink;

import dev.tidemark.partition.Member;
import dev.tidemark.partition.Substitute;
import dev.tidemark.wire.flink.FormatSnapshot;
import dev.tidemark.wire.flink.WireSerializer;
import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/** Writes what a full truth has instead of the published one. Part of state. */
public final class SubstituteSerializer extends WireSerializer<Substitute> {
    private static final long serialVersionUID = 1L;

    private final MemberSerializer members = new MemberSerializer();

    @Override
    public TypeSerializer<Substitute> duplicate() {
        return new SubstituteSerializer();
    }

    @Override
    protected void write(Substitute substitute, DataOutputView out) throws IOException {
        Member member = substitute.member();
        out.writeBoolean(member != null);
        if (member != null) {
            members.serialize(member, out);
        }
    }

    @Override
    protected Substitute read(DataInputView in) throws IOException {
        return new Substitute(in.readBoolean() ? members.deserialize(in) : null);
    }

    @Override
    public TypeSerializerSnapshot<Substitute> snapshotConfiguration() {
        return new Snapshot();
    }

    /** Version 1. */
    public static final class Snapshot extends FormatSnapshot<Substitute> {
        public Snapshot() {
            super(1, SubstituteSerializer::new);
        }
    }
}
