package dev.tidemark.gate;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.Draft;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.RecordIds;
import dev.tidemark.change.Rejection;
import dev.tidemark.change.RowLayout;
import dev.tidemark.expression.Derivations;
import dev.tidemark.job.JobPlan;
import dev.tidemark.ledger.RejectedChange;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a change of a raw record: decodes it, derives what is derived, rejects it or stamps it with its log's frontier. A
 * record that does not meet the job's {@code where} becomes a delete. Whether it is rejected is
 * decided from the record alone, before h moves. Not thread-safe.
 */
public final class Stamper {
    private final RecordDecoder decoder;
    private final Reading reading;
    private final Screen screen;
    private final Derivations derivations;
    private final Draft draft;
    private final RecordIds recordIds;
    private final RowLayout keyLayout;
    private final RowLayout rowLayout;
    private final int[] versionSlots;
    private final int[] keySlots;
    private final int[] rowSlots;
    private final boolean marksEventTime;
    private final JobPlan.Observed observed;
    private final boolean identified;
    private final long outOfOrderness;
    private final long closedBefore;
    private final ByteBuilder scratch = new ByteBuilder();

    /** The stamper of a job of which nothing is published. */
    public Stamper(JobPlan plan, RecordDecoder decoder, Map<String, Integer> columnLengths) {
        this(plan, decoder, columnLengths, JobBound.UNKNOWN);
    }

    /** @param closedBefore the first partition that what is published leaves open; {@link JobBound#UNKNOWN}: all */
    public Stamper(JobPlan plan, RecordDecoder decoder, Map<String, Integer> columnLengths, long closedBefore) {
        this.closedBefore = closedBefore;
        this.decoder = decoder;
        this.reading = Reading.of(plan);
        this.screen = new Screen(plan, reading, columnLengths);
        this.derivations = new Derivations(
                reading.derived(), reading.fields(), plan.partition().zone());
        this.draft = new Draft(reading.fields().size());
        this.recordIds = new RecordIds(reading);
        this.keyLayout = RowLayout.ofFields(plan.target().key());
        this.rowLayout = RowLayout.ofFields(plan.rowFields());
        this.versionSlots = slots(reading.version());
        this.keySlots = slots(reading.key());
        this.rowSlots = slots(reading.row());
        this.marksEventTime = plan.time().frontier() == JobPlan.FrontierKind.EVENT;
        this.observed = plan.time().observed();
        this.identified = plan.changes().hasId();
        this.outOfOrderness = plan.time().outOfOrderness();
    }

    /**
     * The change that a record is, or null when it is rejected: then {@link #rejected} tells why. Moves the frontier and
     * the whole partitions of its log.
     */
    public @Nullable Change stamp(RawRecord raw, Frontier frontier, Whole whole, boolean replayed) {
        draft.clear();
        if (raw.damage == null) {
            decode(raw);
        } else {
            draft.reject(Rejection.UNDECODABLE, raw.damage);
        }
        derivations.evaluate(draft);
        Intent intent = raw.tombstone ? Intent.DELETE : screen.intent(draft);
        screen.examine(raw, draft, intent);
        if (draft.rejection() != null) {
            return null;
        }
        boolean delete = intent.withdraws();
        Bytes id = recordIds.encode(scratch, draft);
        long event = draft.isNull(reading.event()) ? Change.UNKNOWN : draft.fixed(reading.event());
        long observedAt = observedAt(raw);
        if (!marksEventTime) {
            if (observedAt != Change.UNKNOWN) {
                frontier.accept(observedAt, identified ? id : null);
            }
        } else if (event != Change.UNKNOWN) {
            frontier.accept(event - outOfOrderness, identified ? id : null);
        }
        whole.begin(frontier.h());
        return new Change(
                raw.log,
                raw.sequence,
                raw.split,
                raw.offset,
                delete,
                id,
                version(),
                event,
                observedAt,
                frontier.h(),
                whole.from(),
                replayed ? JobBound.UNKNOWN : closedBefore,
                delete ? null : keyLayout.encode(scratch, draft, keySlots),
                delete ? null : rowLayout.encode(scratch, draft, rowSlots),
                replayed);
    }

    /** A tombstone has no fields: only what Kafka knows of it. */
    private long observedAt(RawRecord raw) {
        return switch (observed) {
            case FIELD -> raw.tombstone ? Change.UNKNOWN : draft.fixed(reading.observed());
            case KAFKA_TIMESTAMP -> raw.timestamp;
            case NONE -> Change.UNKNOWN;
        };
    }

    /** A record must never stop the job, not even by a fault of the decoder's: it is rejected, with what was thrown. */
    private void decode(RawRecord raw) {
        try {
            decoder.decode(raw, draft);
        } catch (RuntimeException fault) {
            draft.reject(Rejection.UNDECODABLE, "the record cannot be decoded: " + fault);
        }
    }

    /** The row for the record that {@link #stamp} has just refused. */
    public RejectedChange rejected(RawRecord raw) {
        Rejection reason = draft.rejection();
        String error = draft.error();
        if (reason == null || error == null) {
            throw new IllegalStateException("the last record was not rejected");
        }
        int kept = Math.min(raw.length, RejectedChange.PAYLOAD_LIMIT);
        return new RejectedChange(
                raw.split,
                raw.offset,
                reason,
                error,
                Bytes.of(Arrays.copyOfRange(raw.bytes, raw.start, raw.start + kept)),
                Math.max(raw.length, raw.wholeLength));
    }

    private Bytes version() {
        if (versionSlots.length == 0 || draft.isNull(versionSlots[0])) {
            // Without versions, or of a tombstone, which has none
            return Bytes.EMPTY;
        }
        scratch.clear();
        for (int slot : versionSlots) {
            OrderedBytes.put(scratch, reading.fields().get(slot).type(), draft, slot);
        }
        return scratch.build();
    }

    private static int[] slots(List<Integer> slots) {
        return slots.stream().mapToInt(Integer::intValue).toArray();
    }
}
