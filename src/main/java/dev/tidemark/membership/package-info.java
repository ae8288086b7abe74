/**
 * Membership: which version of a record stands, and what a change takes out of one cell and puts into another.
 *
 * <p>Takes a {@link dev.tidemark.change.Change} and what is remembered of its record, gives a {@link
 * dev.tidemark.membership.Judgement}: contributions, late halves, and what to remember next. Pure; the door is {@code
 * flink}. May touch nothing. Promises that the newest version wins whatever the order of arrival within the memory, and
 * that each half of a change is either applied or late, never both and never neither.
 */
@NullMarked
package dev.tidemark.membership;

import org.jspecify.annotations.NullMarked;
