/**
 * The pipeline: the topology top-down, the names of its operators, and what it asks of Flink.
 *
 * <p>Takes a {@link dev.tidemark.job.JobPlan} and the {@link dev.tidemark.pipeline.Ports} to the outside, gives a Flink
 * graph. May touch every Flink door, and is the only one that does; knows no JDBC. Promises that every operator has a uid,
 * that no edge falls back to Kryo, and that the settings which the program's promises rest on are set.
 */
@NullMarked
package dev.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
