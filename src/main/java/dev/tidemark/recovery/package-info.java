/**
 * Ways back: which partitions a rebuild is to recompute, and which it leaves unfilled.
 *
 * <p>Takes what stands in the warehouse and what a person asks for, gives spans of partitions. Pure. Promises that a window is
 * that of a stream whose frontier is there, and that what lies unfilled before it is named.
 */
@NullMarked
package dev.tidemark.recovery;

import org.jspecify.annotations.NullMarked;
