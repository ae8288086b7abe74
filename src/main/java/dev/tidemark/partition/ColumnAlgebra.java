package dev.tidemark.partition;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.RowLayout;

/**
 * The algebra of one value column: how members enter its accumulator, leave it again, and what it then says.
 *
 * <p>Laws, for all members a and b of one cell:
 *
 * <ul>
 *   <li>add is commutative: the result after a, b is that after b, a;
 *   <li>retract inverts add: after add a, retract a the result is as before, whatever came in between;
 *   <li>so the result is a function of the set of members that are in, and of nothing else;
 *   <li>what was added is retracted with the same values, and never when it is not in.
 * </ul>
 *
 * <p>A selective column may say that it is exhausted; then it must see all members again before its result is asked for.
 *
 * @param <A> its accumulator
 */
abstract class ColumnAlgebra<A extends Accumulator> {
    /** An accumulator of no member. */
    abstract A create();

    /** Takes a member in; the row is the member's. */
    abstract void add(A into, RowLayout.Cursor row, Member member, DistinctCounts counts);

    /** Takes a member out. */
    abstract void retract(A from, RowLayout.Cursor row, Member member, DistinctCounts counts);

    /** Puts the result, or nothing if it is null. */
    abstract void result(A of, RowLayout target, int index, ByteBuilder out);
}
