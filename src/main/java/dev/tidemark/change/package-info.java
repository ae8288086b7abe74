/**
 * What arrived: records before and after decoding, and the encodings in which their fields travel.
 *
 * <p>Takes bytes from a source, gives {@link dev.tidemark.change.Change}. Pure; the doors are {@code avro} (both
 * formats, since JSON records follow an Avro schema too). Promises that equal values have equal bytes and that ordered
 * encodings order as their values do.
 */
@NullMarked
package dev.tidemark.change;

import org.jspecify.annotations.NullMarked;
