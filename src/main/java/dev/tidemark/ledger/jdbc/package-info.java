/**
 * The ledger and the rejected changes as PostgreSQL holds them.
 *
 * <p>Takes selections, gives rows, and marks rows as dismissed. May touch {@code tidemark.late_ledger}, {@code
 * tidemark.rejected_changes} and, under the lock of the job's row, {@code tidemark.partitions.open_late}. Promises that
 * rows are handed over one by one, however many they are, and that {@code open_late} counts the open rows.
 */
@NullMarked
package dev.tidemark.ledger.jdbc;

import org.jspecify.annotations.NullMarked;
