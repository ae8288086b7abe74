package dev.tidemark.source.flink;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Reader to enumerator: how far the least of its active logs has come.
 *
 * @param least h in microseconds; {@link dev.tidemark.source.Pace#NONE}: there is nothing of mine to wait for
 */
public record LeastReached(long least) implements SourceEvent {}
