package dev.tidemark.source.kafka;

import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;

/**
 * What an enumerator leaves in a checkpoint.
 *
 * @param topicId which topic of its name is read; empty: not known yet
 * @param partitions the connector's own state
 */
public record KafkaLogsState(String topicId, KafkaSourceEnumState partitions) {}
