/**
 * Control totals in a file of comma-separated values.
 *
 * <p>Takes a file, gives its header and lines with their numbers. May touch Jackson's reader of that format. Promises that a
 * line has the number that an editor shows, and that a file that cannot be read is told by its name.
 */
@NullMarked
package dev.tidemark.reconcile.csv;

import org.jspecify.annotations.NullMarked;
