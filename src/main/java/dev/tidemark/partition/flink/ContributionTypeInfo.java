package dev.tidemark.partition.flink;

import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.MemberDetail;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The type of the edge from membership to the cells. */
public final class ContributionTypeInfo extends EdgeTypeInfo<Contribution> {
    private static final long serialVersionUID = 1L;

    private final MemberDetail detail;

    public ContributionTypeInfo(MemberDetail detail) {
        super(Contribution.class);
        this.detail = detail;
    }

    @Override
    public TypeSerializer<Contribution> createSerializer(SerializerConfig config) {
        return new ContributionSerializer(detail);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ContributionTypeInfo info && info.detail == detail;
    }

    @Override
    public int hashCode() {
        return detail.name().hashCode();
    }
}
