package dev.tidemark.membership;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.job.JobPlan;
import dev.tidemark.partition.Contribution;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What lives of each record of a whole history, by the rule of {@link Membership}: all changes of a record in the order of
 * their positions, with nothing closed, withheld or forgotten. Not thread-safe.
 */
public final class LiveRecords {
    /** Logs by the UTF-8 bytes of their names, in each log by position. */
    private static final Comparator<Change> BY_POSITION = Comparator.<Change, Bytes>comparing(
                    change -> Bytes.utf8(change.log()))
            .thenComparingLong(Change::sequence);

    private final Membership membership;

    public LiveRecords(JobPlan plan) {
        this.membership = Membership.ofWholeHistory(plan);
    }

    /**
     * The member that lives at the end of a record's history, as what it contributes to its cell; null: none does.
     *
     * @param changes all of one record, unjudged and in any order; of records without id, one
     */
    public @Nullable Contribution live(List<Change> changes) {
        List<Change> ordered = changes;
        if (changes.size() > 1) {
            ordered = new ArrayList<>(changes);
            ordered.sort(BY_POSITION);
        }
        RecordMemory memory = null;
        Contribution live = null;
        for (Change change : ordered) {
            Judgement judgement = membership.judge(memory, change);
            memory = judgement.memory();
            live = after(live, judgement.first());
            live = after(live, judgement.second());
        }
        return live;
    }

    /** A record has one member at most: what is added stands in the place of what was. */
    private static @Nullable Contribution after(@Nullable Contribution live, @Nullable Contribution next) {
        if (next == null || (next.minus() == null && next.plus() == null)) {
            return live;
        }
        return next.plus() == null ? null : new Contribution(next.partition(), next.key(), null, next.plus());
    }
}
