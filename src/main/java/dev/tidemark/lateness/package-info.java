/**
 * Lateness: how long after their event changes come, and what follows from it for the lookback.
 *
 * <p>Takes the lateness of one change after the other, gives a distribution that can be added up; takes what was stored of it,
 * gives percentiles, what each lookback would have caught, and advice; takes the moments at which a reader of {@code
 * updated_at > MAX(updated_at)} reads, gives what it loses. {@code publish} carries and writes the counts, {@code
 * lateness.jdbc} reads them. May touch nothing else. Promises that a bucket never says less lateness than the change had,
 * that adding distributions loses nothing, that percentiles are at most two percent too high, and that nothing is said where
 * nothing was measured.
 */
@NullMarked
package dev.tidemark.lateness;

import org.jspecify.annotations.NullMarked;
