package dev.tidemark.kit;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.runtime.plugable.SerializationDelegate;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.partitioner.ForwardPartitioner;
import org.apache.flink.streaming.runtime.partitioner.StreamPartitioner;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/** What leaves one subtask: each element goes into the channel that the edge's partitioner picks. */
final class HarnessOutput implements Output<StreamRecord<Object>> {

    /** One edge of the graph, as one sending subtask has it. */
    private record Way(
            @Nullable OutputTag<?> tag,
            StreamPartitioner<Object> partitioner,
            SerializationDelegate<StreamRecord<Object>> delegate,
            List<HarnessChannel> channels) {
        void send(StreamRecord<Object> element) {
            delegate.setInstance(element);
            if (partitioner.isBroadcast()) {
                channels.forEach(channel -> channel.send(element.getValue()));
                return;
            }
            channels.get(partitioner.selectChannel(delegate)).send(element.getValue());
        }
    }

    private final int subtask;
    private final List<Way> ways = new ArrayList<>();
    private boolean isCut;

    HarnessOutput(int subtask) {
        this.subtask = subtask;
    }

    /** @param channels to every subtask at the other end */
    void connect(@Nullable OutputTag<?> tag, StreamPartitioner<Object> edge, List<HarnessChannel> channels) {
        StreamPartitioner<Object> partitioner = edge.copy();
        List<HarnessChannel> reached =
                partitioner instanceof ForwardPartitioner<?> ? List.of(channels.get(subtask)) : List.copyOf(channels);
        partitioner.setup(reached.size());
        ways.add(new Way(tag, partitioner, new SerializationDelegate<>(null), reached));
    }

    /** Nothing leaves any more: the subtask has failed. */
    void cut() {
        isCut = true;
    }

    @Override
    public void collect(StreamRecord<Object> element) {
        for (Way way : ways) {
            if (way.tag() == null && !isCut) {
                way.send(element);
            }
        }
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> element) {
        for (Way way : ways) {
            if (tag.equals(way.tag()) && !isCut) {
                way.send(new StreamRecord<>(element.getValue()));
            }
        }
    }

    @Override
    public void emitWatermark(Watermark mark) {}

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {}

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {}

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {}

    @Override
    public void emitWatermark(WatermarkEvent event) {}

    @Override
    public void close() {}
}
