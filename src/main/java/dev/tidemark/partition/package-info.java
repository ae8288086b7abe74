/**
 * The truth of a cell: aggregates that take members in and out again, and come out the same in every order.
 *
 * <p>Takes {@link dev.tidemark.partition.Contribution}s, gives {@link dev.tidemark.publish.CellTruth}s. Pure; the door is
 * {@code flink}. Promises that a truth depends on nothing but the members that are in the cell: not on their order, nor
 * on what was there before.
 */
@NullMarked
package dev.tidemark.partition;

import org.jspecify.annotations.NullMarked;
