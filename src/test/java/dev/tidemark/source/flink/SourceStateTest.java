package dev.tidemark.source.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.change.RawRecord;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.junit.jupiter.api.Test;

class SourceStateTest {
    private static final String SPLIT_HEX = "00046561737400" + "06652f612e677a" + "01" + "0000000000000005"
            + "0000000000000100"
            + "0000000000000004" + "0000000000000009" + "00" + "00000001" + "0006652f612e677a" + "0000000000000400"
            + "00000000000007d0" + "fffffffffffffffe" + "00000001" + "0003652f30";

    private static LogSplit split() {
        Map<String, FileMark> begun = new LinkedHashMap<>();
        begun.put("e/a.gz", new FileMark(1024, 2000, -2));
        return new LogSplit("east", "e/a.gz", true, 5, 256, 4, 9, false, begun, List.of("e/0"));
    }

    @Test
    void theFormOfALogSplitDoesNotChange() throws IOException {
        byte[] golden = HexFormat.of().parseHex("01" + SPLIT_HEX);
        assertThat(LogSplitSerializer.INSTANCE.serialize(split()))
                .asHexString()
                .isEqualTo(HexFormat.of().withUpperCase().formatHex(golden));
        assertThat(LogSplitSerializer.INSTANCE.deserialize(1, golden)).isEqualTo(split());
    }

    @Test
    void theFormOfTheListOfLogsDoesNotChange() throws IOException {
        FileEnumeratorState state = new FileEnumeratorState(List.of("", "west"), List.of(split()));
        byte[] golden = HexFormat.of().parseHex("01" + "00000002" + "0000" + "000477657374" + "00000001" + SPLIT_HEX);
        assertThat(FileEnumeratorStateSerializer.INSTANCE.serialize(state)).isEqualTo(golden);
        assertThat(FileEnumeratorStateSerializer.INSTANCE.deserialize(1, golden))
                .isEqualTo(state);
    }

    @Test
    void unknownVersionsAndBytesBehindTheEndAreRefused() throws IOException {
        byte[] bytes = LogSplitSerializer.INSTANCE.serialize(split());
        assertThatThrownBy(() -> LogSplitSerializer.INSTANCE.deserialize(2, bytes))
                .hasMessageContaining("version");
        byte[] later = bytes.clone();
        later[0] = 2;
        assertThatThrownBy(() -> LogSplitSerializer.INSTANCE.deserialize(1, later))
                .hasMessageContaining("version 1/2");
        assertThatThrownBy(() -> LogSplitSerializer.INSTANCE.deserialize(1, Arrays.copyOf(bytes, bytes.length + 1)))
                .hasMessageContaining("1 bytes behind a log split");
        byte[] list = FileEnumeratorStateSerializer.INSTANCE.serialize(new FileEnumeratorState(List.of(), List.of()));
        assertThatThrownBy(() ->
                        FileEnumeratorStateSerializer.INSTANCE.deserialize(1, Arrays.copyOf(list, list.length + 1)))
                .hasMessageContaining("behind a list of logs");
    }

    @Test
    void aRecordIsTheSameBehindTheWire() throws IOException {
        RawRecord record = new RawRecord();
        record.log = "l";
        record.split = "s";
        record.offset = 3;
        record.sequence = 4;
        record.bytes = "xxabcyy".getBytes(StandardCharsets.UTF_8);
        record.start = 2;
        record.length = 3;
        record.wholeLength = 70_000;
        record.damage = "broken";
        record.kind = RawRecord.Kind.TAKEN;
        record.timestamp = 5;
        record.recordKey = new byte[] {1, 2};
        record.tombstone = true;
        record.begins = true;
        record.whole = false;
        record.frontier = 6;
        DataOutputSerializer out = new DataOutputSerializer(64);
        RawRecordSerializer.INSTANCE.serialize(record, out);
        RawRecord read = RawRecordSerializer.INSTANCE.deserialize(new DataInputDeserializer(out.getCopyOfBuffer()));
        for (RawRecord same : List.of(read, RawRecordSerializer.INSTANCE.copy(record))) {
            assertThat(same)
                    .usingRecursiveComparison()
                    .ignoringFields("bytes", "start")
                    .isEqualTo(record);
            assertThat(new String(same.bytes, same.start, same.length, StandardCharsets.UTF_8))
                    .isEqualTo("abc");
        }
    }
}
