/**
 * The target and its ledger as PostgreSQL holds them, as of one moment; and what was verified.
 *
 * <p>Takes a range of partitions, gives rows one by one, however many there are, and where the target stood: all of it in one
 * repeatable read, so that a running job changes nothing of it. May read the target, {@code tidemark.publications}, {@code
 * tidemark.rebuilds}, {@code tidemark.partitions} and {@code tidemark.late_ledger}; writes {@code tidemark.verifications}.
 * Promises that what somebody has put into the target by hand is handed over too, as text if its type has no such value.
 */
@NullMarked
package dev.tidemark.evidence.jdbc;

import org.jspecify.annotations.NullMarked;
