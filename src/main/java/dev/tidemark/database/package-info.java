/**
 * How the program talks to PostgreSQL: where it is and who asks, sessions, transactions and their repetition, the numbered
 * migrations of the bookkeeping schema, identifiers, and the text that COPY reads.
 *
 * <p>Takes an address and work to be done in a transaction, gives its result or one exception that says what failed. May
 * touch the database and the environment's variables; knows no other room. Promises that a secret is never printed, that
 * the first failure is never hidden by a later one, and that only named kinds of failure are tried again, finitely.
 */
@NullMarked
package dev.tidemark.database;

import org.jspecify.annotations.NullMarked;
