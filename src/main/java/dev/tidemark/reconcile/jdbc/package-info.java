/**
 * Reconciliation with databases: control totals from a query, the target beside them in PostgreSQL, and what is kept.
 *
 * <p>Takes a query or the lines of a control, gives both sides of each partition as of one moment; keeps every variance. May read
 * the target, {@code tidemark.publications} and {@code tidemark.partitions}, make a temporary table for the control, and write
 * {@code tidemark.reconciliation_runs} and {@code tidemark.reconciliations}. Promises bounded memory however many keys a control
 * has, that a query may only read, and that no secret is in a message.
 */
@NullMarked
package dev.tidemark.reconcile.jdbc;

import org.jspecify.annotations.NullMarked;
