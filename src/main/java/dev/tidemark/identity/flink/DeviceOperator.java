package dev.tidemark.identity.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.JobBound;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.DeviceEffects;
import dev.tidemark.identity.DeviceHistory;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.identity.Sessions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.publish.Part;
import dev.tidemark.wire.flink.Purging;
import dev.tidemark.wire.flink.SharedNumbers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the devices, and tells before each barrier, and at the end of the input, what days show otherwise because of what
 * changed since the last.
 *
 * <p>Changes wait until the barrier and are then taken in the order of their positions, because what a closed day misses
 * depends on what was known before: so it does not depend on which subtask was faster. Ledger rows of what it misses go to
 * the side.
 *
 * <p>A day is forgotten later than elsewhere: a day more is remembered, and two checkpoints have to complete first. Its row may still be on its way, and
 * what it shows of the graph has to be as of the publication that it goes out with.
 *
 * <p>State, by device: {@code devices}, one {@link DeviceHistory}, written at the flush, some tens of bytes a sighting of the
 * remembered days and one entry for each user that the device ever had; the sightings go when their day is forgotten, and a
 * device that never had a user with them. {@code waiting}, the changes since the last barrier: empty in every checkpoint.
 * Alike in all subtasks: the bound's numbers, {@link JobBound#NUMBERS}, and the bound of {@link Purging}.
 *
 * <p>Assumes aligned checkpoints, and the streaming mode.
 */
public final class DeviceOperator extends AbstractStreamOperator<IdentityNote>
        implements TwoInputStreamOperator<DeviceChange, Bound, IdentityNote> {
    private static final long serialVersionUID = 1L;

    private static final ValueStateDescriptor<DeviceHistory> DEVICES =
            new ValueStateDescriptor<>("devices", new DeviceHistorySerializer());
    private static final ListStateDescriptor<DeviceChange> WAITING =
            new ListStateDescriptor<>("waiting", new DeviceChangeSerializer());

    private final JobPlan plan;
    private final OutputTag<Part> parts;

    private transient Sessions sessions;
    private transient DeviceEffects effects;
    private transient ValueState<DeviceHistory> devices;
    private transient ListState<DeviceChange> waiting;
    private transient Purging<Bytes> timers;
    private transient JobBound bound;
    private transient SharedNumbers numbers;
    /** The devices that changes wait for. */
    private transient Set<Bytes> changed;
    /** By checkpoint that may still complete: the first day that it has not forgotten. */
    private transient NavigableMap<Long, Long> said;
    /** The same of the last that has completed. */
    private transient long completedBefore;
    /** The same of the one before. */
    private transient long settled;

    /** @param parts where goes what closed days miss */
    @SuppressWarnings("NullAway.Init") // Flink calls initializeState before anything else.
    public DeviceOperator(JobPlan plan, OutputTag<Part> parts) {
        this.plan = plan;
        this.parts = parts;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        sessions = new Sessions(Objects.requireNonNull(plan.identity(), "the job resolves identities")
                .sessionGap());
        effects = new DeviceEffects(sessions);
        changed = new HashSet<>();
        said = new TreeMap<>();
        completedBefore = JobBound.UNKNOWN;
        settled = JobBound.UNKNOWN;
        devices = context.getKeyedStateStore().getState(DEVICES);
        waiting = context.getKeyedStateStore().getListState(WAITING);
        timers = Purging.of(
                this,
                getTimeServiceManager().orElseThrow(),
                context.getOperatorStateStore(),
                DEVICES.getName(),
                device -> firstDay(devices.value()),
                this::forget);
        numbers = new SharedNumbers(context.getOperatorStateStore(), JobBound.NUMBERS);
        bound = new JobBound(plan, numbers.restored());
        if (bound.reopens()) {
            reopenFrom(bound.closedBefore());
        }
    }

    @Override
    public void processElement1(StreamRecord<DeviceChange> element) throws Exception {
        DeviceChange change = element.getValue();
        if (change.day() < timers.bound()) {
            throw new IllegalStateException("A device gets a change of the day numbered " + change.day()
                    + " after it was forgotten (all before number " + timers.bound() + " are)");
        }
        changed.add(change.device());
        waiting.add(change);
    }

    @Override
    public void processElement2(StreamRecord<Bound> element) {
        bound.take(element.getValue());
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        flush();
        bound.advance();
        said.put(checkpointId, rememberedFrom());
        if (settled > timers.bound()) {
            timers.advanceTo(settled);
            effects.drain(this::tell);
            tell(new IdentityNote.Forgotten(settled));
        }
        numbers.update(bound.numbers());
    }

    /**
     * The day before the first that may be open for a log is known, even if nothing else before it is: what that day misses is
     * told by what a change alone says, and not by when days happened to be forgotten.
     */
    private long rememberedFrom() {
        return bound.forgottenBefore() == JobBound.UNKNOWN ? JobBound.UNKNOWN : bound.forgottenBefore() - 1;
    }

    /** What was sent ahead of the checkpoint before is published by now, even if the input ends here. */
    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        Map.Entry<Long, Long> completed = said.floorEntry(checkpointId);
        if (completed != null) {
            settled = completedBefore;
            completedBefore = completed.getValue();
            said.headMap(checkpointId, true).clear();
        }
        super.notifyCheckpointComplete(checkpointId);
    }

    /** Tells what is left; nothing is forgotten because the input ends. */
    @Override
    public void finish() throws Exception {
        flush();
        super.finish();
    }

    @Override
    public void snapshotState(StateSnapshotContext context) throws Exception {
        if (!changed.isEmpty()) {
            throw new IllegalStateException(changed.size()
                    + " changed devices have not been told of before the barrier of checkpoint "
                    + context.getCheckpointId());
        }
        super.snapshotState(context);
    }

    /** Only forwards it: what is forgotten is decided by the job's own bound. */
    @Override
    public void processWatermark(Watermark mark) {
        output.emitWatermark(mark);
    }

    /**
     * After a restore with a larger lookback. What days show does not change by it: what a day has missed that would have
     * made a difference is in the ledger, and such a day is not opened again.
     */
    private void reopenFrom(long firstOpen) throws Exception {
        for (Bytes device : Purging.<Bytes>keysOf(this, DEVICES.getName())) {
            setCurrentKey(device);
            DeviceHistory after = devices.value().reopened(firstOpen);
            if (after.isEmpty()) {
                devices.clear();
            } else {
                devices.update(after);
            }
        }
    }

    private void flush() throws Exception {
        for (Bytes device : changed) {
            setCurrentKey(device);
            List<DeviceChange> changes = new ArrayList<>();
            waiting.get().forEach(changes::add);
            waiting.clear();
            Collections.sort(changes);
            DeviceHistory known = devices.value();
            DeviceHistory before = known == null ? DeviceHistory.EMPTY : known;
            DeviceHistory after = before.after(changes, sessions, this::miss);
            effects.replace(device, before, after);
            if (after.isEmpty()) {
                devices.clear();
                timers.release(firstDay(before));
            } else {
                devices.update(after);
                if (known == null || firstDay(after) < firstDay(before)) {
                    timers.keep(firstDay(after));
                }
            }
        }
        changed.clear();
        effects.drain(this::tell);
    }

    private void forget(Bytes device, long partition) throws Exception {
        DeviceHistory before = devices.value();
        if (before == null) {
            return;
        }
        DeviceHistory after = before.forgottenBefore(
                timers.bound(), (one, other) -> tell(new IdentityNote.JoinedForGood(one, other)));
        effects.forget(device, before, after);
        if (after.isEmpty()) {
            devices.clear();
        } else {
            devices.update(after);
            if (after.firstDay() != null) {
                timers.keep(firstDay(after));
            }
        }
    }

    private void miss(DeviceChange change) {
        LateChange late = Objects.requireNonNull(change.neighbour(), "it was asked about");
        output.collect(parts, new StreamRecord<>(new Part.Late(late)));
    }

    private void tell(IdentityNote note) {
        output.collect(new StreamRecord<>(note));
    }

    /** A device of which only totals are left is never due. */
    private static long firstDay(@Nullable DeviceHistory history) {
        Long first = history == null ? null : history.firstDay();
        return first == null ? Long.MAX_VALUE : first;
    }
}
