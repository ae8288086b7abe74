package dev.tidemark.lateness;

import java.time.LocalDate;
import org.jspecify.annotations.Nullable;

/**
 * Days of observation in the job's zone.
 *
 * @param since the first; null: from the beginning
 * @param until the last; null: up to now
 */
public record Period(@Nullable LocalDate since, @Nullable LocalDate until) {}
