/**
 * Reconciliation: whether the target agrees with totals that somebody else has, and for how long it has.
 *
 * <p>Takes control totals as lines of text and what the target holds beside them, gives variances, a verdict and the ways in
 * which a sum that is right can still be wrong: rows that only one side has, and errors that cancel. May touch the job plan
 * and the calendar. Promises that all problems of a control are told at once with their lines, that a tolerance is never
 * assumed, that a partition which the stream may still change alarms nobody unless it is asked to, and that the verdict
 * depends on the totals and the kept series alone.
 */
@NullMarked
package dev.tidemark.reconcile;

import org.jspecify.annotations.NullMarked;
