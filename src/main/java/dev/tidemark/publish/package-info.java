/**
 * The publication: what may become visible, and when; and the ports to where it is staged and made visible.
 *
 * <p>Takes parts (cells, late and rejected changes, counts, cuts), gives receipts and publications. Pure; the doors are
 * {@code flink} (the stage and the commit as operators) and {@code jdbc} (the warehouse). Promises that a cut which does
 * not add up, or does not begin where the published one ended, is refused, and that bounds never go back.
 */
@NullMarked
package dev.tidemark.publish;

import org.jspecify.annotations.NullMarked;
