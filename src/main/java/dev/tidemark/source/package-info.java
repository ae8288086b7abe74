/**
 * Framing: where one record of a file ends and the next begins, and how far a file has been read.
 *
 * <p>Takes the bytes of one file at a time ({@link dev.tidemark.source.Content}), gives {@link
 * dev.tidemark.change.RawRecord} in the file's order. Pure; the doors are {@code avro} (container files) and {@code
 * flink} (folders, readers, checkpoints). May touch nothing but the bytes it is given. Promises that the same bytes give
 * the same records wherever reading is taken up again, and that damage costs records, never the job.
 */
@NullMarked
package dev.tidemark.source;

import org.jspecify.annotations.NullMarked;
