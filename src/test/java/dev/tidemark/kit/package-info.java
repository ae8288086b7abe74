/**
 * What the tests of all rooms share: histories of changes, and an oracle that says what a job must make of them.
 *
 * <p>The oracle is written from the contract alone. It knows nothing of the operators and shares nothing with
 * production but the plan of a job: where the two disagree, one of them has misread the contract.
 */
@NullMarked
package dev.tidemark.kit;

import org.jspecify.annotations.NullMarked;
