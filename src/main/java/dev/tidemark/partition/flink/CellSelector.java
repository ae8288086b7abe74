package dev.tidemark.partition.flink;

import dev.tidemark.partition.CellKey;
import dev.tidemark.partition.Contribution;
import org.apache.flink.api.java.functions.KeySelector;

/** Spreads contributions by their cell. */
public final class CellSelector implements KeySelector<Contribution, CellKey> {
    private static final long serialVersionUID = 1L;

    @Override
    public CellKey getKey(Contribution contribution) {
        return contribution.cell();
    }
}
