package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of all remembered days: what the cells say of them, with what the devices come to. Mutable.
 *
 * <p>A row is sent when its own day has changed: by the cell, or by a session that reaches over midnight. What it shows of
 * the whole graph is as of that moment; a job that is retroactive sends it again when only that has changed, as long as its
 * day is open.
 *
 * <p>A row that was sent is <i>unsettled</i> until a checkpoint with it has completed: until then it is sent again, as of
 * then, because it may go out with a later one only.
 */
public final class IdentityBook {
    private static final long SETTLED = Long.MIN_VALUE;

    private final IdentityColumns columns;
    private final boolean isRetroactive;
    private final SortedMap<Long, Day> days = new TreeMap<>();
    private UserGraph graph = new UserGraph();
    private long openFrom = Long.MIN_VALUE;
    private long forgottenBefore = Long.MIN_VALUE;

    public IdentityBook(JobPlan plan) {
        this.columns = new IdentityColumns(plan);
        this.isRetroactive = plan.target().retroactive();
    }

    private static final class Day {
        private DayCounts counts = new DayCounts();
        /** What the cell said last; null: nothing yet. */
        private @Nullable CellTruth local;
        /** The row as it was sent last; null: none was. */
        private @Nullable Bytes sent;

        private boolean isTold;
        private boolean isTouched;
        /** The checkpoint with which its row was last sent because of a change. */
        private long changedWith = SETTLED;
    }

    /** Takes the truth of a day's cell, which lacks its identity columns. */
    public void take(CellTruth truth) {
        Day day = day(truth.partition());
        day.local = truth;
        day.isTold = true;
    }

    /** Takes what is told of the devices. */
    public void take(IdentityNote note) {
        if (note instanceof IdentityNote.DaySums sums) {
            Day day = day(sums.day());
            day.counts.add(sums);
            day.isTouched = true;
        } else if (note instanceof IdentityNote.DayUser user) {
            Day day = day(user.day());
            day.counts.add(user);
            day.isTouched = true;
        } else if (note instanceof IdentityNote.Joins joins) {
            graph.join(joins.device(), joins.users());
        } else if (note instanceof IdentityNote.JoinedForGood joined) {
            graph.joinForGood(joined.one(), joined.other());
        } else if (note instanceof IdentityNote.Bound bound) {
            openFrom = Math.max(openFrom, bound.openFrom());
            forgottenBefore = Math.max(forgottenBefore, bound.forgottenBefore());
        }
    }

    private Day day(long day) {
        return days.computeIfAbsent(day, key -> new Day());
    }

    /** Sends the rows that are due at the barrier of a checkpoint. */
    public void send(long checkpoint, Consumer<CellTruth> receiver) {
        for (Map.Entry<Long, Day> entry : days.entrySet()) {
            Day day = entry.getValue();
            CellTruth local = day.local;
            boolean isOpen = isRetroactive && entry.getKey() >= openFrom;
            if (local != null && (day.isTold || day.isTouched || isOpen || day.changedWith != SETTLED)) {
                send(day, local, checkpoint, isOpen, receiver);
            }
            day.isTold = false;
            day.isTouched = false;
        }
        days.headMap(forgottenBefore).values().removeIf(day -> day.changedWith == SETTLED);
    }

    private void send(Day day, CellTruth local, long checkpoint, boolean isOpen, Consumer<CellTruth> receiver) {
        Bytes values = local.values();
        CellTruth row = local;
        if (values != null) {
            row = new CellTruth(
                    local.partition(),
                    local.key(),
                    local.members(),
                    local.fingerprint(),
                    columns.filled(values, day.counts, graph));
        }
        Bytes now = row.values();
        boolean isChanged = day.isTold
                || (now != null
                        && !(isOpen ? now.equals(day.sent) : day.sent != null && columns.sameLocally(now, day.sent)));
        if (isChanged) {
            day.changedWith = checkpoint;
        }
        if (day.changedWith != SETTLED) {
            receiver.accept(row);
            day.sent = now;
        }
    }

    /** Is told that a checkpoint has completed: what was sent with it, or before, need not be sent again. */
    public void settle(long checkpoint) {
        days.values().forEach(day -> {
            if (day.changedWith <= checkpoint) {
                day.changedWith = SETTLED;
            }
        });
        days.values()
                .removeIf(day -> day.changedWith == SETTLED
                        && day.local != null
                        && day.local.isRemoved()
                        && day.counts.isZero());
    }

    /** How many days are remembered. */
    public int size() {
        return days.size();
    }

    /** Writes it; to be asked for between two rows. */
    public void writeTo(DataOutput out) throws IOException {
        graph.writeTo(out);
        out.writeLong(openFrom);
        out.writeLong(forgottenBefore);
        Wire.writeUnsigned(days.size(), out);
        for (Map.Entry<Long, Day> entry : days.entrySet()) {
            Day day = entry.getValue();
            Wire.writeSigned(entry.getKey(), out);
            day.counts.writeTo(out);
            CellTruth local = day.local;
            out.writeBoolean(local != null);
            if (local != null) {
                Wire.writeBytes(local.key(), out);
                Wire.writeSigned(local.members(), out);
                out.writeLong(local.fingerprint());
                Wire.writeNullableBytes(local.values(), out);
            }
            Wire.writeNullableBytes(day.sent, out);
            out.writeLong(day.changedWith);
        }
    }

    /** Reads what {@link #writeTo} wrote, in the place of what is here. */
    public void readFrom(DataInput in) throws IOException {
        days.clear();
        graph = UserGraph.readFrom(in);
        openFrom = in.readLong();
        forgottenBefore = in.readLong();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            long partition = Wire.readSigned(in);
            Day day = day(partition);
            day.counts = DayCounts.readFrom(in);
            if (in.readBoolean()) {
                day.local = new CellTruth(
                        partition, Wire.readBytes(in), Wire.readSigned(in), in.readLong(), Wire.readNullableBytes(in));
            }
            day.sent = Wire.readNullableBytes(in);
            day.changedWith = in.readLong();
        }
    }
}
