/**
 * How records travel between Flink operators and rest in state: the ground that every {@code flink} door stands on.
 *
 * <p>May touch Flink's type system and {@code change}. Promises that nothing falls back to Kryo and that every
 * serializer reads what it wrote.
 */
@NullMarked
package dev.tidemark.wire;

import org.jspecify.annotations.NullMarked;
