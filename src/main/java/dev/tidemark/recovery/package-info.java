/**
 * Bringing in what came too late: restoring a job with a larger lookback, as far as its state reaches.
 *
 * <p>Takes what the warehouse knows of a job's state and what Flink says of the running job, gives the partitions that can
 * be reopened, what stands in the way of others, and the steps of an operation. Pure; the doors are {@code jdbc} (the
 * bookkeeping) and {@code flink} (a cluster's REST interface). May touch {@code calendar} and {@code publish}. Promises that
 * nothing is stopped before it is known that it can be gone on with, and that an operation which was interrupted anywhere
 * ends the same when it is repeated.
 */
@NullMarked
package dev.tidemark.recovery;

import org.jspecify.annotations.NullMarked;
