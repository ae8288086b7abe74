package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.CellTruth;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of all remembered days: what the cells say of them, with what the devices come to. Mutable.
 *
 * <p>A row is sent when anything of it has changed, what it shows of the whole graph too: so the newest row of a day that was
 * sent is always right as of the newest barrier, whatever became of the checkpoints between. That a row which differs in
 * its global columns alone is not written, unless the job is retroactive, is decided where it is written.
 */
public final class IdentityBook {
    private final IdentityColumns columns;
    private final SortedMap<Long, Day> days = new TreeMap<>();
    private UserGraph graph = new UserGraph();
    private long forgottenBefore = Long.MIN_VALUE;
    private boolean isRegrouped;

    public IdentityBook(JobPlan plan) {
        this.columns = new IdentityColumns(plan);
    }

    private static final class Day {
        private DayCounts counts = new DayCounts();
        /** What the cell said last; null: nothing yet. */
        private @Nullable CellTruth local;
        /** The row as it was sent last; null: none was, or the day has no row. */
        private @Nullable Bytes sent;

        private boolean isTold;
        private boolean isTouched;
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
            isRegrouped = true;
        } else if (note instanceof IdentityNote.JoinedForGood joined) {
            graph.joinForGood(joined.one(), joined.other());
            isRegrouped = true;
        } else if (note instanceof IdentityNote.Forgotten forgotten) {
            forgottenBefore = Math.max(forgottenBefore, forgotten.before());
        }
    }

    private Day day(long day) {
        return days.computeIfAbsent(day, key -> new Day());
    }

    /** Sends the rows that have changed since the last time; then forgets the days that never change again. */
    public void send(Consumer<CellTruth> receiver) {
        days.values().forEach(day -> {
            CellTruth local = day.local;
            if (local != null && (day.isTold || day.isTouched || isRegrouped)) {
                send(day, local, receiver);
            }
            day.isTold = false;
            day.isTouched = false;
        });
        isRegrouped = false;
        days.headMap(forgottenBefore).clear();
        days.values().removeIf(day -> day.local != null && day.local.isRemoved() && day.counts.isZero());
    }

    private void send(Day day, CellTruth local, Consumer<CellTruth> receiver) {
        Bytes values = local.values();
        if (values == null) {
            if (day.isTold) {
                receiver.accept(local);
            }
            day.sent = null;
            return;
        }
        Bytes filled = columns.filled(values, day.counts, graph);
        if (day.isTold || !Objects.equals(filled, day.sent)) {
            receiver.accept(
                    new CellTruth(local.partition(), local.key(), local.members(), local.fingerprint(), filled));
            day.sent = filled;
        }
    }

    /** How many days are remembered. */
    public int size() {
        return days.size();
    }

    /** Writes it; to be asked for between two rows. */
    public void writeTo(DataOutput out) throws IOException {
        graph.writeTo(out);
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
        }
    }

    /** Reads what {@link #writeTo} wrote, in the place of what is here. */
    public void readFrom(DataInput in) throws IOException {
        days.clear();
        graph = UserGraph.readFrom(in);
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
        }
    }
}
