/**
 * The door to a database: its rows as the history of a job, by way of Flink's JDBC connector.
 *
 * <p>Takes a {@link dev.tidemark.job.JobPlan} whose history is rows of a PostgreSQL, gives {@link
 * dev.tidemark.change.RawRecord} with a JSON object each, as the job's schema wants it. May touch JDBC, Flink, its JDBC
 * connector and {@code database}. Promises that all rows are of one snapshot, each read once, and that a column that is missing or
 * of another type is said before a row is read.
 */
@NullMarked
package dev.tidemark.source.jdbc;

import org.jspecify.annotations.NullMarked;
