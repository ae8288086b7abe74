/**
 * The door to the job file: YAML to records.
 *
 * <p><b>Takes</b> a path and the environment's variables. <b>Gives</b> the resolved job
 * ({@link dev.tidemark.job.yaml.JobFiles}). <b>May touch</b> the job file, its schema file and snakeyaml-engine, which
 * no other package sees. <b>Promises</b> that every problem of a file is reported at once, each with its line and key
 * path, and that the keys are those of the record components and no others.
 */
@NullMarked
package dev.tidemark.job.yaml;

import org.jspecify.annotations.NullMarked;
