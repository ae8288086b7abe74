package dev.tidemark.source.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What an enumerator leaves in a checkpoint can be read by what comes after. */
class KafkaLogsStateTest {
    private static final KafkaLogsState STATE = new KafkaLogsState(
            "id",
            new KafkaSourceEnumState(List.of(new KafkaPartitionSplit(new TopicPartition("t", 1), 7)), List.of(), true));

    /** The topic's id; then the version, length and bytes of the connector's own state. */
    private static final String GOLDEN = "026964" + "03" + "28"
            + "0000000100000000" + "00000017" + "000174" + "00000001" + "0000000000000007" + "8000000000000000"
            + "00000000" + "01";

    private final KafkaLogsStateSerializer serializer = KafkaLogsStateSerializer.INSTANCE;

    @Test
    void hasItsBytes() throws IOException {
        assertThat(HexFormat.of().formatHex(serializer.serialize(STATE))).isEqualTo(GOLDEN);
        KafkaLogsState read = serializer.deserialize(1, HexFormat.of().parseHex(GOLDEN));
        assertThat(read.topicId()).isEqualTo("id");
        assertThat(read.partitions().assignedSplits())
                .containsExactlyElementsOf(STATE.partitions().assignedSplits());
        assertThat(read.partitions().initialDiscoveryFinished()).isTrue();
    }

    @Test
    void anotherVersionAndTrailingBytesAreRefused() throws IOException {
        byte[] bytes = serializer.serialize(STATE);

        assertThatThrownBy(() -> serializer.deserialize(2, bytes)).hasMessageContaining("has version 2");
        assertThatThrownBy(() -> serializer.deserialize(1, Arrays.copyOf(bytes, bytes.length + 1)))
                .hasMessageContaining("1 bytes too many");
    }
}
