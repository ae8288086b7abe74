package dev.tidemark.source.flink;

import org.apache.flink.api.connector.source.SourceEvent;

/** Enumerator to reader: you have been given all logs that were there at the start, as far as they are yours. */
public record AllLogsGiven() implements SourceEvent {}
