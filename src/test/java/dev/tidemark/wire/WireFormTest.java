package dev.tidemark.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.Rejection;
import dev.tidemark.gate.flink.ChangeSerializer;
import dev.tidemark.gate.flink.LogState;
import dev.tidemark.gate.flink.SubmissionState;
import dev.tidemark.job.Definition;
import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.ledger.Half;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.ledger.RejectedChange;
import dev.tidemark.membership.Copy;
import dev.tidemark.membership.RecordMemory;
import dev.tidemark.membership.flink.RecordMemorySerializer;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Tally;
import dev.tidemark.publish.flink.CellTruthSerializer;
import dev.tidemark.publish.flink.PartSerializer;
import dev.tidemark.publish.flink.Receipts;
import dev.tidemark.publish.flink.StagedPartSerializer;
import dev.tidemark.wire.flink.BytesSerializer;
import dev.tidemark.wire.flink.WireTypeInfo;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** The forms in which values travel and rest: that they come back whole, and that those at rest never change. */
class WireFormTest {
    private static final Change UPSERT = new Change(
            "log",
            7,
            "a.json",
            3,
            false,
            Bytes.utf8("id"),
            Bytes.utf8("v"),
            1,
            2,
            3,
            19_000,
            Long.MIN_VALUE,
            Bytes.utf8("key"),
            Bytes.EMPTY,
            true);
    private static final Change DELETE = new Change(
            "",
            8,
            "b.json",
            4,
            true,
            Bytes.EMPTY,
            Bytes.EMPTY,
            Change.UNKNOWN,
            Change.UNKNOWN,
            -1,
            Long.MIN_VALUE,
            -19_000,
            null,
            null,
            false);
    private static final CellTruth TRUTH = new CellTruth(20_000, Bytes.utf8("key"), 2, -1, Bytes.utf8("values"));
    private static final CellTruth REMOVAL = new CellTruth(-1, Bytes.EMPTY, 0, 0, null);
    private static final LateChange LATE = new LateChange(
            "a.json",
            3,
            Half.OLD,
            "id",
            false,
            20_000,
            Bytes.utf8("key"),
            1,
            2,
            5,
            6,
            7,
            LateReason.OUTSIDE_WINDOW,
            "{}");
    private static final LateChange LATE_UNKNOWN = new LateChange(
            "a.json",
            4,
            Half.WHOLE,
            null,
            true,
            LateChange.UNKNOWN,
            null,
            LateChange.UNKNOWN,
            LateChange.UNKNOWN,
            LateChange.UNKNOWN,
            6,
            7,
            LateReason.UNKNOWN_RECORD,
            "{}");
    private static final RejectedChange REJECTED =
            new RejectedChange("a.json", 5, Rejection.UNDECODABLE, "no JSON \u2713", Bytes.utf8("x"), 70_000);
    private static final Tally TALLY =
            new Tally(1, 2, 3, 4, 5, 6, List.of(new LatenessEntry(20_000, true, 1, 127, 2, 1, 126)));
    private static final Cut CUT = new Cut(
            3,
            4,
            true,
            10,
            1,
            List.of(
                    new LogCut("", "a.json", 9, "a.json", 0, 77),
                    new LogCut("log", "b.json", 3, "a.json", 1, LogCut.UNKNOWN, 19_000, true, true)));
    private static final Reopening REOPENING =
            new Reopening(19_995, List.of(new LogCut("log", "b.json", 3, "b.json", 3, 88)));
    private static final StagedPart RECEIPT =
            new StagedPart("submission", 5, "part", 1, 2, 3, List.of(TALLY), List.of(CUT), List.of(REOPENING));
    private static final LogState LOG = new LogState("log", "a.json", 9, 77, 1_000, Bytes.utf8("id"), 19_000, 20_000);
    private static final Copy COPY =
            new Copy(Bytes.utf8("u"), "log", 6, 3, 19_999, Bytes.utf8("key"), Bytes.utf8("old"), 1);
    private static final RecordMemory LIVE = new RecordMemory(
            false,
            true,
            true,
            Bytes.utf8("v"),
            2,
            "log",
            7,
            1,
            20_000,
            Bytes.utf8("key"),
            Bytes.utf8("row"),
            20_003,
            0,
            null);
    private static final RecordMemory LATE_LIVE = new RecordMemory(
            false, false, true, Bytes.EMPTY, 2, "log", 7, 1, 20_000, Bytes.EMPTY, Bytes.EMPTY, 20_003, 300, COPY);
    private static final RecordMemory WITHDRAWN = RecordMemory.deleted(Bytes.utf8("v"), 2, "log", 7, 20_003, 0, null);
    private static final RecordMemory WITHDRAWN_LATE =
            RecordMemory.deleted(Bytes.utf8("v"), 2, "log", 7, 20_003, 0, COPY);

    @Test
    void whatTravelsComesBackWhole() throws Exception {
        comesBack(ChangeSerializer.TYPE, UPSERT, DELETE);
        comesBack(CellTruthSerializer.TYPE, TRUTH, REMOVAL);
        comesBack(
                PartSerializer.TYPE,
                new Part.Cell(TRUTH),
                new Part.Cell(REMOVAL),
                new Part.Late(LATE),
                new Part.Late(LATE_UNKNOWN),
                new Part.Rejected(REJECTED),
                new Part.Judged(TALLY),
                new Part.Read(CUT),
                new Part.Reopened(REOPENING));
        comesBack(StagedPartSerializer.TYPE, RECEIPT, new StagedPart("", 0, "", 0, 0, 0, List.of(), List.of()));
        comesBack(BytesSerializer.TYPE, Bytes.EMPTY, Bytes.utf8("x".repeat(300)));
    }

    @Test
    void everyReasonAndHalfTravels() throws Exception {
        for (Rejection reason : Rejection.values()) {
            comesBack(PartSerializer.TYPE, new Part.Rejected(new RejectedChange("", 0, reason, "", Bytes.EMPTY, 0)));
        }
        for (Half half : Half.values()) {
            for (LateReason reason : LateReason.values()) {
                comesBack(
                        PartSerializer.TYPE,
                        new Part.Late(new LateChange("", 0, half, "", false, 0, null, 0, 0, 0, 0, 0, reason, "")));
            }
        }
    }

    @Test
    void theStateOfALogKeepsItsForm() throws Exception {
        keepsItsForm(
                new LogState.Serializer(),
                LOG,
                "036c6f67" + "06612e6a736f6e" + "12" + "000000000000004d" + "00000000000003e8" + "036964"
                        + "0000000000004a38" + "0000000000004e20");
        keepsItsForm(
                new LogState.Serializer(),
                new LogState("", "", 0, Long.MIN_VALUE, Long.MIN_VALUE, null, Long.MIN_VALUE, LogState.ALL),
                "00" + "00" + "00" + "8000000000000000" + "8000000000000000" + "00" + "8000000000000000"
                        + "8000000000000000");
    }

    @Test
    void whoWroteAStateKeepsItsForm() throws Exception {
        keepsItsForm(
                new SubmissionState.Serializer(),
                new SubmissionState(new Definition("sales", "f0", "{}"), "one"),
                "0573616c6573" + "026630" + "027b7d" + "036f6e65");
    }

    @Test
    void theMemoryOfARecordKeepsItsForm() throws Exception {
        String copy = "0175" + "036c6f67" + "0c" + "0000000000000003" + "beb802" + "036b6579" + "036f6c64" + "01";
        String withdrawn = "0176" + "0000000000000002" + "036c6f67" + "0e" + "c6b802";
        keepsItsForm(
                new RecordMemorySerializer(),
                LIVE,
                "06" + "0176" + "0000000000000002" + "036c6f67" + "0e" + "c6b802" + "0000000000000001" + "c0b802"
                        + "036b6579" + "03726f77");
        keepsItsForm(
                new RecordMemorySerializer(),
                LATE_LIVE,
                "1c" + "00" + "0000000000000002" + "036c6f67" + "0e" + "c6b802" + "0000000000000001" + "c0b802" + "00"
                        + "00" + "ac02" + copy);
        keepsItsForm(new RecordMemorySerializer(), WITHDRAWN, "01" + withdrawn);
        keepsItsForm(new RecordMemorySerializer(), WITHDRAWN_LATE, "09" + withdrawn + copy);
    }

    @Test
    void aReceiptKeepsItsForm() throws Exception {
        String tally = "0000000000000001" + "0000000000000002" + "0000000000000003" + "0000000000000004"
                + "0000000000000005" + "0000000000000006" + "01" + "0000000000004e20" + "01" + "0000000000000001"
                + "000000000000007f" + "0000000000000002" + "0000000000000001" + "000000000000007e";
        String cut = "03" + "0000000000000004" + "01" + "000000000000000a" + "0000000000000001" + "02"
                + "00" + "06612e6a736f6e" + "0000000000000009" + "06612e6a736f6e" + "0000000000000000"
                + "000000000000004d" + "8000000000000000" + "0000"
                + "036c6f67" + "06622e6a736f6e" + "0000000000000003" + "06612e6a736f6e" + "0000000000000001"
                + "8000000000000000" + "0000000000004a38" + "0101";
        String golden = "01" + "0a7375626d697373696f6e" + "0000000000000005" + "0470617274" + "0000000000000001"
                + "0000000000000002" + "0000000000000003" + "01" + tally + "01" + cut
                + "01" + "0000000000004e1b" + "01" + "036c6f67" + "06622e6a736f6e" + "0000000000000003"
                + "06622e6a736f6e" + "0000000000000003" + "0000000000000058" + "8000000000000000" + "0000";
        assertThat(HexFormat.of().formatHex(Receipts.toBytes(RECEIPT))).isEqualTo(golden);
        assertThat(Receipts.fromBytes(HexFormat.of().parseHex(golden))).isEqualTo(RECEIPT);
    }

    @Test
    void aReceiptThatIsNotOneIsRefused() throws Exception {
        byte[] receipt = Receipts.toBytes(RECEIPT);
        byte[] newer = receipt.clone();
        newer[0] = 2;
        assertThatThrownBy(() -> Receipts.fromBytes(newer))
                .isInstanceOf(IOException.class)
                .hasMessage("a receipt of version 2 cannot be read; this program reads 1");
        assertThatThrownBy(() -> Receipts.fromBytes(Arrays.copyOf(receipt, receipt.length + 2)))
                .isInstanceOf(IOException.class)
                .hasMessage("2 bytes are left over behind a receipt");
        for (int length = 0; length < receipt.length; length++) {
            byte[] torn = Arrays.copyOf(receipt, length);
            assertThatThrownBy(() -> Receipts.fromBytes(torn)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aPartOfNoKindIsRefused() {
        refuses(new PartSerializer(), "07", "no part has the kind 7");
        refuses(
                BytesSerializer.INSTANCE,
                "ffffffffff",
                "A number has more than five bytes: this is not what was written");
    }

    @Test
    void serializersAreFoundAgainByTheirSnapshotsAndRefuseOtherVersions() throws Exception {
        for (TypeSerializer<?> serializer : List.of(
                new ChangeSerializer(),
                CellTruthSerializer.INSTANCE,
                new PartSerializer(),
                new StagedPartSerializer(),
                BytesSerializer.INSTANCE,
                new LogState.Serializer(),
                new SubmissionState.Serializer(),
                new RecordMemorySerializer())) {
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

    @SafeVarargs
    private static <T> void comesBack(WireTypeInfo<T> type, T... values) throws IOException {
        TypeSerializer<T> writer = type.createSerializer(new SerializerConfigImpl());
        TypeSerializer<T> reader = writer.duplicate();
        DataOutputSerializer out = new DataOutputSerializer(64);
        for (int round = 0; round < 2; round++) {
            for (T value : values) {
                writer.serialize(value, out);
            }
        }
        DataInputDeserializer in = new DataInputDeserializer(out.getCopyOfBuffer());
        for (int round = 0; round < 2; round++) {
            for (T value : values) {
                assertThat(reader.deserialize(in)).isEqualTo(value);
            }
        }
        assertThat(in.available()).isZero();
    }

    private static <T> void keepsItsForm(TypeSerializer<T> serializer, T value, String golden) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        assertThat(HexFormat.of().formatHex(out.getCopyOfBuffer())).isEqualTo(golden);
        DataInputDeserializer in = new DataInputDeserializer(HexFormat.of().parseHex(golden));
        assertThat(serializer.duplicate().deserialize(in)).isEqualTo(value);
        assertThat(in.available()).isZero();
    }

    private static void refuses(TypeSerializer<?> serializer, String hex, String message) {
        DataInputDeserializer in = new DataInputDeserializer(HexFormat.of().parseHex(hex + "00".repeat(64)));
        assertThatThrownBy(() -> serializer.deserialize(in))
                .isInstanceOf(IOException.class)
                .hasMessage(message);
    }
}
