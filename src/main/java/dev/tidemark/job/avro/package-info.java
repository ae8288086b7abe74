/**
 * The door to the Avro schema: its fields in Tidemark's types.
 *
 * <p><b>Takes</b> the text of a schema. <b>Gives</b> a {@link dev.tidemark.job.SourceSchema}. <b>May touch</b> Avro.
 * <b>Promises</b> that a type which a job cannot read is named in words, and refused only when the job uses it.
 */
@NullMarked
package dev.tidemark.job.avro;

import org.jspecify.annotations.NullMarked;
