package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.Difference;
import dev.tidemark.evidence.PartitionCount;
import dev.tidemark.evidence.Publications;
import java.util.function.Consumer;

/**
 * Compares columns that depend on other partitions with a computation over exactly what was known to the publication that wrote
 * the row. The columns of the cells alone have been compared before.
 */
public interface GlobalComparison {
    /** Is to be told of the publications, before anything is compared. */
    Publications.Visitor publications();

    /** Compares. */
    void compare();

    /** How many rows are what they should be as of their publication. */
    long equal();

    /** How many rows are not. */
    long different();

    /** How many of these may differ because records were forgotten. */
    long beyondMemory();

    /** Those that nothing accounts for, to be counted with the rows that are wrong in other columns. */
    PartitionCount wrong();

    /** How many rows were written by a publication of which it is not known what it had read. */
    long unknown();

    /** Hands over the rows that differ, wrong ones first, in the order of partition and key. */
    void forEach(long limit, Consumer<Difference> action);
}
