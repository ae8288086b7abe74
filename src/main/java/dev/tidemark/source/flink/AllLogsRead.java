package dev.tidemark.source.flink;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Reader to enumerator: all my logs are finished. Readers end together, when all have said so, because Flink takes no
 * checkpoint of an operator with union state of which some subtasks have ended.
 */
record AllLogsRead() implements SourceEvent {}
