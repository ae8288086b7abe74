/**
 * What a pipeline is.
 *
 * <p><b>Takes</b> a job file as it was written ({@link dev.tidemark.job.JobFile}) and the fields of its source schema
 * ({@link dev.tidemark.job.SourceSchema}). <b>Gives</b> the resolved plan ({@link dev.tidemark.job.JobPlan}), every
 * default filled in and every result typed, or all problems at once ({@link dev.tidemark.job.JobFileException}).
 * <b>May touch</b> nothing but its arguments; whether the source's path is a file is the one thing it asks of the file
 * system. <b>Promises</b> that the same file, schema and environment give the same plan, the same canonical JSON and
 * the same fingerprint.
 *
 * <p>The doors are {@code job.yaml} (the file) and {@code job.avro} (the schema).
 */
@NullMarked
package dev.tidemark.job;

import org.jspecify.annotations.NullMarked;
