package dev.tidemark.membership.flink;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.Sightings;
import dev.tidemark.job.JobPlan;
import dev.tidemark.membership.LiveRecords;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.PartitionSpan;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/**
 * Sends on what lives of each record at the end of a history, if it lives in one of the wanted partitions.
 *
 * <p>Assumes the batch mode: all changes of a record come one after the other, so that those of one are all that is ever
 * held. Records without id are not keyed; each is sent on as it comes.
 */
public final class LiveRecordOperator extends AbstractStreamOperator<Contribution>
        implements OneInputStreamOperator<Change, Contribution> {
    private static final long serialVersionUID = 1L;

    private final JobPlan plan;
    private final PartitionSpan span;
    private final @Nullable OutputTag<DeviceChange> devices;

    private transient @Nullable Sightings sightings;
    private transient LiveRecords records;
    private transient List<Change> changes;
    private transient @Nullable Bytes id;

    /**
     * @param span the wanted partitions
     * @param devices where goes the same by device; null: nobody asks
     */
    @SuppressWarnings("NullAway.Init")
    public LiveRecordOperator(JobPlan plan, PartitionSpan span, @Nullable OutputTag<DeviceChange> devices) {
        this.plan = plan;
        this.span = span;
        this.devices = devices;
    }

    @Override
    public void open() throws Exception {
        super.open();
        records = new LiveRecords(plan);
        sightings = devices == null ? null : new Sightings(plan);
        changes = new ArrayList<>();
    }

    @Override
    public void processElement(StreamRecord<Change> element) {
        Change change = element.getValue();
        if (id != null && !(plan.changes().hasId() && id.equals(change.recordId()))) {
            send();
        }
        id = change.recordId();
        changes.add(change);
    }

    @Override
    public void finish() throws Exception {
        send();
        super.finish();
    }

    private void send() {
        if (changes.isEmpty()) {
            return;
        }
        Contribution live = records.live(changes);
        changes.clear();
        if (live != null && span.contains(live.partition())) {
            output.collect(new StreamRecord<>(live));
            if (sightings != null && devices != null) {
                sightings.tell(live, true, "", 0, null, told -> output.collect(devices, new StreamRecord<>(told)));
            }
        }
    }
}
