/** Tests of what a reconciliation concludes. */
@NullMarked
package dev.tidemark.reconcile;

import org.jspecify.annotations.NullMarked;
