package dev.tidemark.ledger;

/** Where a change stands in the source. */
public record Position(String split, long offset) {
    @Override
    public String toString() {
        return split + " " + offset;
    }
}
