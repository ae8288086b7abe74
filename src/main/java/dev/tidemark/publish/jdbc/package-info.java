/**
 * The warehouse in PostgreSQL: the target table and its row of {@code tidemark.jobs}, the stage that copies rows in, and
 * the one transaction that makes a checkpoint visible, with its ledger, rejected and lateness rows.
 *
 * <p>Takes receipts, gives publications. May touch the target, the schemas {@code tidemark} and {@code tidemark_staging};
 * uses {@code database} for everything that is not a statement. Promises that a publication is made whole or not at all,
 * once, by the newest submission only, however often and wherever it is interrupted.
 */
@NullMarked
package dev.tidemark.publish.jdbc;

import org.jspecify.annotations.NullMarked;
