/**
 * The gate's door to Flink: the clock by which keyed operators forget.
 *
 * <p>Takes the job's own bound, gives the keys whose partitions are before it. May touch Flink's internal timers.
 * Promises that no Flink watermark purges anything, and that timers and bound survive a restore.
 */
@NullMarked
package dev.tidemark.gate.flink;

import org.jspecify.annotations.NullMarked;
