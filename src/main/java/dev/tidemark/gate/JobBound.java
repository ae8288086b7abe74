package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.job.JobPlan;
import java.util.List;

/**
 * The bound by which an operator that keeps state closes and forgets: the partition that every log has reached. It moves
 * only at a barrier, by what the stamping operators have said ahead of it, and never backwards. Mutable; belongs to one
 * operator.
 *
 * <p>Checkpoints are aligned. An operator that is at a barrier has all that was said ahead of it, and every operator has
 * the same; so all of them, and all their subtasks, stand at the same bound from a barrier to the next. That is why no
 * slack is needed between a sender and a receiver: what is sent after a barrier was judged by the bound that the receiver
 * has since that barrier. (After a barrier that was aborted the sender may be ahead: a receiver gets to a barrier only when
 * all its senders have been there. It then keeps what nobody asks for until the next.)
 *
 * <p>At rest it is three numbers, {@link #NUMBERS}, the same in every subtask. What was said is not kept: after a restore
 * the bound stands until all have spoken again.
 */
public final class JobBound {
    /** No log has been heard of. */
    public static final long UNKNOWN = Long.MIN_VALUE;

    /** The names of the numbers that {@link #numbers} gives, in its order. */
    public static final List<String> NUMBERS = List.of("reached", "lookback", "forgotten-before");

    private final Calendar calendar;
    private final int lookback;
    private final int retain;
    private final Bounds bounds = new Bounds();
    private long reached = UNKNOWN;
    private long forgottenBefore = UNKNOWN;
    private long lookbackBefore = UNKNOWN;

    /** The bound of a job that starts from nothing. */
    public JobBound(JobPlan plan) {
        this.calendar = Gate.calendarOf(plan);
        this.lookback = plan.partition().lookback();
        this.retain = plan.partition().retain();
    }

    /**
     * The bound as it stood when {@link #numbers} were read from it, under the lookback that the plan has now.
     *
     * @param numbers {@link #UNKNOWN} each, if there was none
     */
    public JobBound(JobPlan plan, List<Long> numbers) {
        this(plan);
        this.reached = numbers.get(0);
        this.lookbackBefore = numbers.get(1);
        this.forgottenBefore = numbers.get(2);
    }

    /** Takes what a stamping operator says; it acts at the next barrier. */
    public void take(Bound bound) {
        bounds.take(bound);
    }

    /** Is at a barrier; says whether the bound has moved. */
    public boolean advance() {
        long least = bounds.least();
        if (least == Frontier.UNKNOWN) {
            return false;
        }
        long partition = calendar.partitionOf(least);
        if (partition <= reached) {
            return false;
        }
        reached = partition;
        forgottenBefore = Math.max(forgottenBefore, calendar.plus(partition, -retain));
        return true;
    }

    /** The partition that all logs have reached: P(least h); {@link #UNKNOWN}: not told yet. */
    public long reached() {
        return reached;
    }

    /** The first partition that is not closed for every log. */
    public long closedBefore() {
        return reached == UNKNOWN ? UNKNOWN : Math.max(forgottenBefore, calendar.plus(reached, -lookback));
    }

    /**
     * Whether the restored state was written under a smaller lookback: then the partitions from {@link #closedBefore} on are
     * open that were closed, or may be, and the full truth of each, which the state has, is to be the published one.
     */
    public boolean reopens() {
        return lookbackBefore != UNKNOWN && lookback > lookbackBefore;
    }

    /** The first partition that no operator may have forgotten. */
    public long forgottenBefore() {
        return forgottenBefore;
    }

    /** What has to be kept of it. */
    public List<Long> numbers() {
        return List.of(reached, (long) lookback, forgottenBefore);
    }
}
