/**
 * The gate: the frontier of a log, what is open, and which records must not count.
 *
 * <p>Takes raw records in the order of their log, gives changes stamped with h, or rejected ones. Pure; its door is
 * {@code flink}. Promises that every answer depends only on the job and on the log up to the record.
 */
@NullMarked
package dev.tidemark.gate;

import org.jspecify.annotations.NullMarked;
