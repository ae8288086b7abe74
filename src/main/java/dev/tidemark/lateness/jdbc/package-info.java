/**
 * The distribution of lateness as PostgreSQL holds it.
 *
 * <p>Takes a period, gives the evidence of one job, all of one moment. May read {@code tidemark.lateness}, {@code
 * tidemark.publications}, {@code tidemark.partitions}, {@code tidemark.late_ledger} and {@code tidemark.rejected_changes};
 * writes nothing, because {@code publish.jdbc} does, in the transaction that makes a checkpoint visible.
 */
@NullMarked
package dev.tidemark.lateness.jdbc;

import org.jspecify.annotations.NullMarked;
