package dev.tidemark.source.kafka;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Enumerator to reader: which topic of its name it is.
 *
 * @param id what Kafka calls it
 */
record TopicNamed(String id) implements SourceEvent {}
