package dev.tidemark.partition.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.publish.CellTruth;
import org.apache.flink.api.java.functions.KeySelector;

/** Spreads truths by the target's key: all partitions of one go together. */
public final class TargetKey implements KeySelector<CellTruth, Bytes> {
    private static final long serialVersionUID = 1L;

    @Override
    public Bytes getKey(CellTruth truth) {
        return truth.key();
    }
}
