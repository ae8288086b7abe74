/**
 * How values travel between Flink's operators, rest in state and leave it: the ground that every {@code flink} door
 * stands on.
 *
 * <p>Takes the atoms of {@code wire} and a way to write a value, gives serializers, types and their snapshots; and the
 * clock by which keyed operators forget. May touch Flink's type system and its internal timers; knows no room but {@code
 * change}. Promises that nothing falls back to Kryo, that a state of another format is refused, and that no Flink
 * watermark purges anything.
 */
@NullMarked
package dev.tidemark.wire.flink;

import org.jspecify.annotations.NullMarked;
