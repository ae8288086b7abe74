/**
 * Membership in Flink: the operator that remembers record ids, the one for records that have none, and what they count.
 *
 * <p>Takes stamped changes, keyed by record id if there is one, gives contributions, and on the side late changes and, at
 * every barrier, the counts of the cut. May touch keyed state and, through {@code wire.flink}, its timers. Promises that a
 * replayed change acts but is not counted or ledgered again, and that what no later change can ask for is forgotten.
 */
@NullMarked
package dev.tidemark.membership.flink;

import org.jspecify.annotations.NullMarked;
