/**
 * Publishing in Flink: the operators that stage parts and commit what a checkpoint has completed, and how all that they
 * take and give is written.
 *
 * <p>Takes parts, gives receipts at the barrier, and publishes the receipts of completed checkpoints. May touch operator
 * state, and the warehouse through the ports that it is handed. Promises that a receipt is never in fewer checkpoints than
 * it takes to publish it, and that a submission which is fenced off ends instead of trying again.
 */
@NullMarked
package dev.tidemark.publish.flink;

import org.jspecify.annotations.NullMarked;
