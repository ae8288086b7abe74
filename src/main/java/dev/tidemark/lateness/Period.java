package dev.tidemark.lateness;

import java.time.LocalDate;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Days of observation in the job's zone.
 *
 * @param since the first; null: from the beginning
 * @param until the last; null: up to now
 * @param except days of known exceptional repairs: what was observed on them says nothing about ordinary days
 */
public record Period(@Nullable LocalDate since, @Nullable LocalDate until, Set<LocalDate> except) {}
