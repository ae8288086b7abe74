package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.job.Field;
import dev.tidemark.job.IdentityPlan;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.partition.Contribution;
import dev.tidemark.partition.Member;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What contributions to cells say of devices. Not thread-safe. */
public final class Sightings {
    private final RowLayout.Cursor row;
    private final int device;
    private final int user;
    private final int platform;

    /** @param plan of a job with identity columns */
    public Sightings(JobPlan plan) {
        IdentityPlan identity = Objects.requireNonNull(plan.identity(), "the job resolves identities");
        List<Field> fields = plan.rowFields();
        this.row = new RowLayout.Cursor(RowLayout.ofFields(fields));
        this.device = fields.indexOf(identity.device());
        this.user = fields.indexOf(identity.user());
        this.platform = identity.platform() == null ? -1 : fields.indexOf(identity.platform());
    }

    /**
     * Tells what a contribution does to a device, or to two.
     *
     * @param reachesBack whether the day before is open for the change too
     * @param log with {@code sequence} the position of the change
     * @param neighbour for the ledger, if the day before misses it
     */
    public void tell(
            Contribution contribution,
            boolean reachesBack,
            String log,
            long sequence,
            @Nullable LateChange neighbour,
            Consumer<DeviceChange> receiver) {
        Member minus = contribution.minus();
        Member plus = contribution.plus();
        long day = contribution.partition();
        Bytes from = minus == null ? null : device(minus);
        Sighting less = minus == null ? null : sighting(minus);
        Bytes to = plus == null ? null : device(plus);
        Sighting more = plus == null ? null : sighting(plus);
        if (from != null && Objects.equals(from, to)) {
            if (!Objects.equals(less, more)) {
                receiver.accept(new DeviceChange(from, day, less, more, reachesBack, log, sequence, neighbour));
            }
            return;
        }
        if (from != null) {
            receiver.accept(new DeviceChange(from, day, less, null, reachesBack, log, sequence, neighbour));
        }
        if (to != null) {
            receiver.accept(new DeviceChange(to, day, null, more, reachesBack, log, sequence, neighbour));
        }
    }

    private Bytes device(Member member) {
        row.read(member.row().array());
        return text(device);
    }

    private Sighting sighting(Member member) {
        row.read(member.row().array());
        return new Sighting(member.eventTime(), platform < 0 ? Bytes.EMPTY : text(platform), text(user));
    }

    private Bytes text(int field) {
        if (row.isNull(field)) {
            return Bytes.EMPTY;
        }
        int start = row.start(field);
        return Bytes.of(Arrays.copyOfRange(row.source(), start, start + row.length(field)));
    }
}
