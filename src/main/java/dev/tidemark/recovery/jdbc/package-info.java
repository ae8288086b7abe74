/**
 * What the warehouse knows of a job's state, and the table of operations.
 *
 * <p>Takes connections, gives the ports of {@code recovery}. May touch JDBC. Promises that of two processes that go on with
 * one operation only one takes each step.
 */
@NullMarked
package dev.tidemark.recovery.jdbc;

import org.jspecify.annotations.NullMarked;
