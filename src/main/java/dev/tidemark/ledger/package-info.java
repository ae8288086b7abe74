/**
 * What did not come into the target: late changes with their disposition, and rejected changes.
 *
 * <p>Takes changes that the gate or the screen turned away, gives them their written form, and the ports by which people
 * find them again and dispose of them. Pure; the door is {@code jdbc}. May touch nothing. Promises that what is written of
 * a change is decided here alone, whatever wrote it.
 */
@NullMarked
package dev.tidemark.ledger;

import org.jspecify.annotations.NullMarked;
