package dev.tidemark.identity.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.DeviceEffects;
import dev.tidemark.identity.DeviceHistory;
import dev.tidemark.identity.IdentityNote;
import dev.tidemark.identity.Sessions;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.PartitionSpan;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.jspecify.annotations.Nullable;

/**
 * Tells what each day shows of the devices, each known from all of its sightings.
 *
 * <p>Assumes the batch mode: all sightings of a device come one after the other, so that those of one are all that is ever
 * held.
 */
public final class WholeDeviceOperator extends AbstractStreamOperator<IdentityNote>
        implements OneInputStreamOperator<DeviceChange, IdentityNote> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final PartitionSpan span;

    private transient Sessions sessions;
    private transient DeviceEffects effects;
    private transient List<DeviceChange> changes;
    private transient @Nullable Bytes device;

    /** @param span the days that are asked for */
    @SuppressWarnings("NullAway.Init")
    public WholeDeviceOperator(JobPlan plan, PartitionSpan span) {
        this.plan = plan;
        this.span = span;
    }

    @Override
    public void open() throws Exception {
        super.open();
        sessions = new Sessions(Objects.requireNonNull(plan.identity(), "the job resolves identities")
                .sessionGap());
        effects = new DeviceEffects(sessions);
        changes = new ArrayList<>();
    }

    @Override
    public void processElement(StreamRecord<DeviceChange> element) {
        DeviceChange change = element.getValue();
        if (device != null && !device.equals(change.device())) {
            take();
        }
        device = change.device();
        changes.add(change);
    }

    @Override
    public void finish() throws Exception {
        take();
        effects.drain(note -> {
            boolean isWanted = note instanceof IdentityNote.DaySums sums
                    ? span.contains(sums.day())
                    : !(note instanceof IdentityNote.DayUser user) || span.contains(user.day());
            if (isWanted) {
                output.collect(new StreamRecord<>(note));
            }
        });
        super.finish();
    }

    private void take() {
        if (device != null && !changes.isEmpty()) {
            DeviceHistory history = DeviceHistory.EMPTY.after(changes, sessions, DeviceHistory.Missed.NOBODY);
            effects.replace(device, DeviceHistory.EMPTY, history);
            changes.clear();
        }
    }
}
