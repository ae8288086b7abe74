package dev.tidemark.partition;

import org.jspecify.annotations.Nullable;

/**
 * What the full truth of a cell has where the published one has something else.
 *
 * @param member null: it has none
 */
public record Substitute(@Nullable Member member) {}
