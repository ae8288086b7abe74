/**
 * The cells in Flink: one operator, its state, and the types on its edges.
 *
 * <p>Takes contributions keyed by cell, gives the truth of each changed cell before each barrier. May touch Flink's keyed
 * state and, through {@code wire.flink}, its timers. Promises that no checkpoint holds a changed cell that has not been
 * sent on, and that nothing travels or is kept by Kryo.
 */
@NullMarked
package dev.tidemark.partition.flink;

import org.jspecify.annotations.NullMarked;
