/**
 * The door to Kafka: a topic, each of whose partitions is a log, by way of Flink's connector.
 *
 * <p>Takes a {@link dev.tidemark.job.KafkaPlan} and the port for the start positions, gives {@link
 * dev.tidemark.change.RawRecord} in the order of offsets. May touch Flink, its Kafka connector, Kafka's clients and, for the
 * schemas of a registry, HTTP. Promises that only committed records are read, each once a run and none passed over without
 * the job stopping; that a log is said to be quiet only when the broker has confirmed that it was read to its end; and that a
 * value which cannot be framed is a damaged record, not a failure.
 */
@NullMarked
package dev.tidemark.source.kafka;

import org.jspecify.annotations.NullMarked;
