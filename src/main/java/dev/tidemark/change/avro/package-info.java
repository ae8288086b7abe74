/**
 * Decoding: the bytes of a record, Avro's binary or JSON, become the slots of a draft.
 *
 * <p>Takes {@link dev.tidemark.change.RawRecord} and the schemas, gives {@link dev.tidemark.change.Draft}. May touch Avro's
 * schemas and Jackson's parser. Promises that only fields that the job reads are decoded, that bad input rejects the record
 * with a message that names the field, and that equal values come out equal from both formats.
 */
@NullMarked
package dev.tidemark.change.avro;

import org.jspecify.annotations.NullMarked;
