package dev.tidemark.partition.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.CellAlgebra;
import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.CellState;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.DistinctCounts;
import dev.tidemark.partition.Layer;
import dev.tidemark.partition.Layers;
import dev.tidemark.partition.Member;
import dev.tidemark.partition.MemberDetail;
import dev.tidemark.partition.Members;
import dev.tidemark.partition.NaiveCell.Seen;
import dev.tidemark.partition.Plans;
import dev.tidemark.partition.Rows;
import dev.tidemark.partition.Substitute;
import dev.tidemark.wire.flink.BytesSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

class CellSerializersTest {
    private static final Member OLD =
            new Member(Bytes.utf8("id"), Bytes.utf8("v1"), "log", 70, -2, Bytes.utf8("row"), 0x0123_4567_89ab_cdefL);
    private static final Member NEW =
            new Member(Bytes.utf8("id"), Bytes.utf8("v2"), "log", 71, 3, Bytes.utf8("worn"), -1);
    private static final Contribution BOTH = new Contribution(20_000, Bytes.utf8("key"), OLD, NEW);

    @Test
    void contributionsTravelWithAllThatTheJobNeeds() throws IOException {
        ContributionSerializer full = new ContributionSerializer(MemberDetail.FULL);
        assertThat(hex(full, BOTH))
                .isEqualTo("c0b802" + "036b6579" + "07"
                        + "026964" + "027631" + "036c6f67" + "8c01" + "fffffffffffffffe" + "03726f77"
                        + "0123456789abcdef"
                        + "027632" + "036c6f67" + "8e01" + "0000000000000003" + "04776f726e" + "ffffffffffffffff");
        Contribution read = read(full, hex(full, BOTH));
        assertThat(read).isEqualTo(BOTH);
        Member minus = Objects.requireNonNull(read.minus());
        Member plus = Objects.requireNonNull(read.plus());
        assertThat(minus.log()).isSameAs(plus.log());
        assertThat(minus.recordId()).isSameAs(plus.recordId());

        Contribution moved = new Contribution(
                Long.MIN_VALUE, Bytes.EMPTY, OLD, new Member(Bytes.EMPTY, Bytes.EMPTY, "", 0, 0, Bytes.EMPTY, 0));
        assertThat(read(full, hex(full, moved))).isEqualTo(moved);
        Contribution addition = new Contribution(-1, Bytes.EMPTY, null, NEW);
        assertThat(read(full, hex(full, addition))).isEqualTo(addition);
        Contribution removal = new Contribution(-1, Bytes.EMPTY, OLD, null);
        assertThat(read(full, hex(full, removal))).isEqualTo(removal);
        for (Layer layer : Layer.values()) {
            Contribution layered = new Contribution(-1, Bytes.EMPTY, OLD, NEW, layer);
            assertThat(read(full, hex(full, layered))).isEqualTo(layered);
        }
    }

    @Test
    void aSummaryLeavesOutWhatNoColumnReads() throws IOException {
        ContributionSerializer summary = new ContributionSerializer(MemberDetail.SUMMARY);
        assertThat(hex(summary, BOTH))
                .isEqualTo("c0b802" + "036b6579" + "07" + "03726f77" + "0123456789abcdef" + "04776f726e"
                        + "ffffffffffffffff");
        assertThat(read(summary, hex(summary, BOTH)))
                .isEqualTo(new Contribution(
                        20_000,
                        Bytes.utf8("key"),
                        new Member(Bytes.EMPTY, Bytes.EMPTY, "", 0, 0, OLD.row(), OLD.hash()),
                        new Member(Bytes.EMPTY, Bytes.EMPTY, "", 0, 0, NEW.row(), NEW.hash())));
        assertThat(MemberDetail.of(Plans.append(List.of(Plans.column(Aggregate.SUM, Plans.BIG)))))
                .isEqualTo(MemberDetail.SUMMARY);
        assertThat(MemberDetail.of(Plans.append(List.of(Plans.column(Aggregate.MAX, Plans.BIG)))))
                .isEqualTo(MemberDetail.FULL);
    }

    @Test
    void keysAndMembersKeepTheirForm() throws IOException {
        CellKey cell = new CellKey(-5, Bytes.utf8("key"));
        assertThat(hex(CellKeySerializer.INSTANCE, cell)).isEqualTo("09" + "036b6579");
        assertThat(read(CellKeySerializer.INSTANCE, "09036b6579")).isEqualTo(cell);
        assertThat(cell.hashCode())
                .as("decides key groups")
                .isEqualTo(31 * Long.hashCode(-5) + cell.key().hashCode());
        String member =
                "026964" + "027631" + "036c6f67" + "8c01" + "fffffffffffffffe" + "03726f77" + "0123456789abcdef";
        assertThat(hex(new MemberSerializer(), OLD)).isEqualTo(member);
        assertThat(read(new MemberSerializer(), member)).isEqualTo(OLD);
        assertThat(hex(new SubstituteSerializer(), new Substitute(OLD))).isEqualTo("01" + member);
        assertThat(read(new SubstituteSerializer(), "01" + member)).isEqualTo(new Substitute(OLD));
        assertThat(hex(new SubstituteSerializer(), new Substitute(null))).isEqualTo("00");
        assertThat(read(new SubstituteSerializer(), "00")).isEqualTo(new Substitute(null));
        assertThat(hex(BytesSerializer.INSTANCE, Bytes.utf8("key"))).isEqualTo("036b6579");
    }

    @Test
    void aStateKeepsItsForm() throws IOException {
        JobPlan plan = Plans.append(List.of(
                Plans.column(Aggregate.COUNT, null),
                Plans.column(Aggregate.SUM, Plans.WHOLE),
                Plans.column(Aggregate.SUM, Plans.REAL),
                Plans.column(Aggregate.LATEST, Plans.TEXT),
                Plans.column(Aggregate.MAX, Plans.WHOLE)));
        CellAlgebra algebra = new CellAlgebra(plan);
        CellState state = algebra.create();
        Seen seen = Seen.of(plan, "id", "v", "log", 3, 2, Map.of(Plans.WHOLE, 7, Plans.REAL, 1.5, Plans.TEXT, "hi"));
        algebra.apply(
                state,
                new Contribution(0, Rows.key("k"), null, seen.member()),
                Members.NONE,
                DistinctCounts.NONE,
                algebra.changes());
        CellStateSerializer serializer = new CellStateSerializer(algebra.shape());
        String hash = HexFormat.of().toHexDigits(seen.member().hash());
        String golden = "02" + hash + "0a"
                + "01" + "02"
                + "02" + "02" + "01" + "0e"
                // 1.5 is 3 x 2^1073 multiples of 2^-1074: limb 33, bits 17 and 18.
                + "03" + "02" + "01" + "21" + "808030"
                + "04" + "03" + "8000000000000002" + "0e" + "76" + "6c6f670000" + "8000000000000003" + "03" + "026869"
                + "04" + "03" + "8000000000000007" + "00" + "00";
        assertThat(hex(serializer, state)).isEqualTo(golden);
        assertThat(hex(serializer, read(serializer, golden))).isEqualTo(golden);
        assertThat(algebra.export(
                        new CellKey(0, Rows.key("k")), read(serializer, golden), Members.NONE, algebra.changes()))
                .isEqualTo(algebra.export(new CellKey(0, Rows.key("k")), state, Members.NONE, algebra.changes()));
        algebra.apply(
                state,
                new Contribution(0, Rows.key("k"), null, seen.member(), Layer.WITHHELD),
                new Layers(null, null, null, null),
                algebra.changes());
        String layered = hex(serializer, state);
        assertThat(layered).startsWith(golden.replace(hash + "0a", hash + "0b"));
        assertThat(hex(serializer, read(serializer, layered))).isEqualTo(layered);
        assertThat(read(serializer, layered).isLayered()).isTrue();
    }

    @Test
    void snapshotsRestoreTheirSerializersAndRefuseOtherVersions() throws Exception {
        for (TypeSerializer<?> serializer : List.of(
                BytesSerializer.INSTANCE,
                CellKeySerializer.INSTANCE,
                new MemberSerializer(),
                new SubstituteSerializer(),
                new ContributionSerializer(MemberDetail.SUMMARY),
                new CellStateSerializer(List.of("count", "sum x")))) {
            DataOutputSerializer out = new DataOutputSerializer(64);
            TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
            TypeSerializerSnapshot<?> read = TypeSerializerSnapshot.readVersionedSnapshot(
                    new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
            assertThat(read.restoreSerializer()).isEqualTo(serializer);
            assertThat(serializer.duplicate()).isEqualTo(serializer).hasSameHashCodeAs(serializer);
            assertThat((Object) InstantiationUtil.clone(serializer)).isEqualTo(serializer);
            assertThatThrownBy(() -> read.readSnapshot(
                            2,
                            new DataInputDeserializer(new byte[9]),
                            getClass().getClassLoader()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("knows format version 1, the state has 2");
        }
    }

    @Test
    void aStateOfOtherColumnsIsIncompatible() {
        TypeSerializerSnapshot<CellState> one = new CellStateSerializer(List.of("sum x")).snapshotConfiguration();
        TypeSerializerSnapshot<CellState> other = new CellStateSerializer(List.of("sum y")).snapshotConfiguration();
        assertThat(one.resolveSchemaCompatibility(other).isIncompatible()).isTrue();
        assertThat(one.resolveSchemaCompatibility(one).isCompatibleAsIs()).isTrue();
    }

    @Test
    void theTypesOfTheEdgesNameTheirSerializers() {
        WireTypeInfo<Contribution> full = ContributionSerializer.type(MemberDetail.FULL);
        assertThat(full.createSerializer(new SerializerConfigImpl()))
                .isEqualTo(new ContributionSerializer(MemberDetail.FULL));
        assertThat(full)
                .isEqualTo(ContributionSerializer.type(MemberDetail.FULL))
                .isNotEqualTo(ContributionSerializer.type(MemberDetail.SUMMARY));
        assertThat(CellKeySerializer.TYPE.isKeyType()).isTrue();
        assertThat(CellKeySerializer.TYPE.createSerializer(new SerializerConfigImpl()))
                .isSameAs(CellKeySerializer.INSTANCE);
    }

    private static <T> String hex(TypeSerializer<T> serializer, T value) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        return HexFormat.of().formatHex(out.getCopyOfBuffer());
    }

    private static <T> T read(TypeSerializer<T> serializer, String hex) throws IOException {
        DataInputDeserializer in = new DataInputDeserializer(HexFormat.of().parseHex(hex));
        T value = serializer.deserialize(in);
        assertThat(in.available()).isZero();
        return value;
    }
}
