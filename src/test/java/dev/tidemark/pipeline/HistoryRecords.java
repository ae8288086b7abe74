package dev.tidemark.pipeline;

import dev.tidemark.change.RawRecord;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.CloseableIterator;

/** Runs a reading of a history as a batch job and keeps what it gives. */
final class HistoryRecords {
    private HistoryRecords() {}

    static StreamExecutionEnvironment batch(int parallelism) {
        Configuration settings = new Configuration();
        settings.set(PipelineOptions.GENERIC_TYPES, false);
        settings.set(PipelineOptions.AUTO_GENERATE_UIDS, false);
        settings.set(PipelineOptions.OBJECT_REUSE, true);
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment(settings);
        environment.setRuntimeMode(RuntimeExecutionMode.BATCH);
        environment.setParallelism(parallelism);
        return environment;
    }

    /** All that it reads, as {@link #shown}. */
    static List<String> read(HistoryReading history, int parallelism) throws Exception {
        StreamExecutionEnvironment environment = batch(parallelism);
        List<String> records = new ArrayList<>();
        try (CloseableIterator<String> read = history.read(environment)
                .map(new Show(), Types.STRING)
                .uid("show")
                .collectAsync()) {
            // The iterator needs a running job.
            JobClient client = environment.executeAsync();
            read.forEachRemaining(records::add);
            client.getJobExecutionResult().get();
        }
        return records;
    }

    /** Reads and forgets: what the job has counted. */
    static JobExecutionResult count(HistoryReading history, int parallelism) throws Exception {
        StreamExecutionEnvironment environment = batch(parallelism);
        history.read(environment).sinkTo(new DiscardingSink<>()).uid("discard");
        return environment.execute();
    }

    /** A record with all that matters of it. */
    static String shown(RawRecord record) {
        byte[] key = record.recordKey;
        return String.join(
                " ",
                record.kind.toString(),
                "log=" + record.log,
                "split=" + record.split,
                "offset=" + record.offset,
                "time=" + record.timestamp,
                "key=" + (key == null ? "none" : HexFormat.of().formatHex(key)),
                record.tombstone ? "tombstone" : "value",
                "damage=" + record.damage,
                "schema=" + (record.writerSchema == null ? "none" : record.writerSchema.hashCode()),
                "length=" + record.wholeLength,
                HexFormat.of().formatHex(record.bytes, record.start, record.start + record.length));
    }

    /** {@link #shown}, inside of a job. */
    static final class Show implements MapFunction<RawRecord, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(RawRecord record) {
            return shown(record);
        }
    }
}
