/**
 * Identity resolution in Flink: one operator that knows the devices, one that counts the days, the same in batch mode, and
 * the types on their edges.
 *
 * <p>Takes what changes do to devices, keyed by device, and the truths of cells; gives the truths with their identity columns
 * before each barrier. May touch Flink's state and, through {@code wire.flink}, its timers. Promises that no checkpoint holds
 * a change of a device that has not been told on, and that nothing travels or is kept by Kryo.
 */
@NullMarked
package dev.tidemark.identity.flink;

import org.jspecify.annotations.NullMarked;
