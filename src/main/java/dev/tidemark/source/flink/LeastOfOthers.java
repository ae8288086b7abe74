package dev.tidemark.source.flink;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * Enumerator to reader: how far the least of the active logs of all other readers has come. Its own logs a reader knows
 * better.
 *
 * @param least h in microseconds; {@link dev.tidemark.source.Pace#NONE}: there is nothing to wait for; {@link
 *     dev.tidemark.source.Pace#UNKNOWN}: one has not said yet
 */
public record LeastOfOthers(long least) implements SourceEvent {}
