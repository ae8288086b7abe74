package dev.tidemark.source.flink;

import dev.tidemark.change.RawRecord;
import dev.tidemark.source.Extent;
import org.apache.flink.api.common.functions.FilterFunction;

/** Leaves out the records that are not read. */
public final class WithinExtent implements FilterFunction<RawRecord> {
    private static final long serialVersionUID = 1L;

    private final Extent extent;

    public WithinExtent(Extent extent) {
        this.extent = extent;
    }

    @Override
    public boolean filter(RawRecord record) {
        return extent.contains(record.log, record.split, record.offset);
    }
}
