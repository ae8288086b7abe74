/**
 * The running Flink, by its REST interface.
 *
 * <p>Takes a cluster's address, gives the port of {@code recovery} to the jobs that run there. Touches the network, and
 * nothing of Flink's classes. Promises that asking for the same stop again has no further effect.
 */
@NullMarked
package dev.tidemark.recovery.flink;

import org.jspecify.annotations.NullMarked;
