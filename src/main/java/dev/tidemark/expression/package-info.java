/**
 * Expressions at work: typed trees become small evaluators over the slots of a record.
 *
 * <p><b>Takes</b> {@link dev.tidemark.job.Expression} and the {@link dev.tidemark.expression.Slots} of a record.
 * <b>Gives</b> the values of derived fields, written into slots of their own. Pure. <b>Promises</b> PostgreSQL's answers:
 * three-valued logic, exact decimals, text by UTF-8 bytes; where PostgreSQL raises an error the slot is spoiled and nothing
 * is thrown. The usual values (integers, decimals that fit a long, comparisons, text) are computed without allocating.
 */
@NullMarked
package dev.tidemark.expression;

import org.jspecify.annotations.NullMarked;
