package dev.tidemark.job;

import org.jspecify.annotations.Nullable;

/**
 * What a source, or a history, names of schemas.
 *
 * @param reader the reader schema; null: it could not be read, which is among the problems already
 * @param writers the others
 */
public record Schemas(@Nullable SourceSchema reader, WriterSchemas writers) {}
