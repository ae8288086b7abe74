/**
 * The atoms of every binary form: numbers, byte strings and texts as they are written between operators and in state.
 *
 * <p>Takes values and any {@link java.io.DataOutput}, gives bytes that are as short as the value, and back. Pure; the
 * door is {@code flink}. May touch {@link dev.tidemark.change.Bytes} and nothing else of the program. Promises that what
 * was written is read again, and that bytes which nobody wrote are refused rather than misread.
 */
@NullMarked
package dev.tidemark.wire;

import org.jspecify.annotations.NullMarked;
