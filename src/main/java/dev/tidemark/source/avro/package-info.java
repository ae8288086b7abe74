/**
 * Frames Avro container files.
 *
 * <p>Takes the content of a file, gives each datum as its exact byte range, with the writer schema. May touch Avro's
 * schema parser and its codecs, and {@code change.avro}, which says what shape a schema's data have. Promises that a damaged block is one damaged record, and that what can be read after it
 * is read.
 */
@NullMarked
package dev.tidemark.source.avro;

import org.jspecify.annotations.NullMarked;
