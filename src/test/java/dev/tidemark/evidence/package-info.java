/** Tests of the evidence. */
@NullMarked
package dev.tidemark.evidence;

import org.jspecify.annotations.NullMarked;
