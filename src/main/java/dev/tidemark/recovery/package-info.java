/**
 * Ways back: bringing in what came too late, by restoring a job with a larger lookback, as far as its state reaches, or by
 * rebuilding whole partitions from the history.
 *
 * <p>Takes what the warehouse knows of a job, what Flink says of the running one and what a person asks for; gives the
 * partitions that can be reopened or are to be recomputed, what stands in the way of others, and the steps of an operation.
 * Pure; the doors are {@code jdbc} (the bookkeeping) and {@code flink} (a cluster's REST interface). May touch
 * {@code calendar} and {@code publish}. Promises that nothing is stopped before it is known that it can be gone on with,
 * that an operation which was interrupted anywhere ends the same when it is repeated, and that what a window leaves unfilled
 * before it is named.
 */
@NullMarked
package dev.tidemark.recovery;

import org.jspecify.annotations.NullMarked;
