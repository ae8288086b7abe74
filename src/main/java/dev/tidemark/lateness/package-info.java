/**
 * Lateness: how long after their event changes come, as counts in buckets.
 *
 * <p>Takes the lateness of one change after the other, gives a distribution that can be added up. Pure, without
 * a door: {@code publish} carries and writes them. May touch nothing. Promises that a bucket never says less lateness than
 * the change had, and that adding distributions loses nothing.
 */
@NullMarked
package dev.tidemark.lateness;

import org.jspecify.annotations.NullMarked;
