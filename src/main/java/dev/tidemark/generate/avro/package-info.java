/**
 * Generated records as Avro: the binary form, and container files.
 *
 * <p>Takes the fields of a record in the order of its schema, gives Avro's bytes. May touch Avro and files. Promises that
 * the same records give the same file, sync markers included.
 */
@NullMarked
package dev.tidemark.generate.avro;

import org.jspecify.annotations.NullMarked;
