/**
 * Evidence: whether the target is what its history says, found apart from the stream.
 *
 * <p>Takes the changes of a history, decoded and screened by the shared code, and the target with its ledger as of one
 * publication; gives what a full recomputation has, and in what the two differ. Pure; the doors are {@code flink} (writes the
 * changes down while they are read), {@code duckdb} (what lives, the cells, the comparison, in SQL) and {@code jdbc} (the
 * target and its ledger as of one moment). May touch {@code job}, {@code change} and {@code publish}; knows nothing of {@code
 * membership}, {@code partition} and {@code calendar}, so that a fault of theirs cannot hide in it. Promises bounded memory:
 * everything that grows with the history lies on disk.
 */
@NullMarked
package dev.tidemark.evidence;

import org.jspecify.annotations.NullMarked;
