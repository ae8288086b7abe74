package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import org.apache.flink.api.common.accumulators.LongCounter;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Counts what passes, in accumulators of the job: what a subtask that failed has counted is forgotten with it. */
public final class CountRecords extends RichMapFunction<RawRecord, RawRecord> {
    private static final long serialVersionUID = 1L;

    private final String recordsName;
    private final String bytesName;
    private final LongCounter records = new LongCounter();
    private final LongCounter bytes = new LongCounter();

    /**
     * @param recordsName the accumulator of the records
     * @param bytesName the accumulator of their bytes, after decompression
     */
    public CountRecords(String recordsName, String bytesName) {
        this.recordsName = recordsName;
        this.bytesName = bytesName;
    }

    @Override
    public void open(OpenContext context) {
        getRuntimeContext().addAccumulator(recordsName, records);
        getRuntimeContext().addAccumulator(bytesName, bytes);
    }

    @Override
    public RawRecord map(RawRecord record) {
        records.add(1L);
        bytes.add(record.wholeLength);
        return record;
    }
}
