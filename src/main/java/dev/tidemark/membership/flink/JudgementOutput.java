package dev.tidemark.membership.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.gate.Gate;
import dev.tidemark.identity.DeviceChange;
import dev.tidemark.identity.Sightings;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.LatenessCounter;
import dev.tidemark.ledger.LateChange;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.membership.Judgement;
import dev.tidemark.membership.Outcome;
import dev.tidemark.partition.Contribution;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Reopening;
import dev.tidemark.publish.Tally;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a judgement where it belongs, and counts it for the next cut. */
final class JudgementOutput {
    private static final Logger LOG = LoggerFactory.getLogger(JudgementOutput.class);

    private final Output<StreamRecord<Contribution>> output;
    private final OutputTag<Part> parts;
    private final @Nullable OutputTag<DeviceChange> devices;
    private final @Nullable Sightings sightings;
    private final Calendar calendar;
    private final StreamRecord<Contribution> contribution = new StreamRecord<>(null);
    private final LatenessCounter lateness = new LatenessCounter();
    private long applied;
    private long superseded;
    private long late;
    private long split;
    private long halfWindowExceeded;
    private long overtaken;
    private boolean finished;
    private boolean reopens;
    private long reopenedFrom;

    /** @param devices where goes what changes do to devices; null: nowhere */
    JudgementOutput(
            JobPlan plan,
            Output<StreamRecord<Contribution>> output,
            OutputTag<Part> parts,
            @Nullable OutputTag<DeviceChange> devices) {
        this.output = output;
        this.parts = parts;
        this.devices = devices;
        this.sightings = devices == null ? null : new Sightings(plan);
        this.calendar = Gate.calendarOf(plan);
    }

    /** Contributions always act; a replayed change is not counted or ledgered again. */
    void emit(Change change, Judgement judgement) {
        send(judgement.first());
        send(judgement.second());
        send(judgement.third());
        if (sightings != null) {
            tell(judgement.first(), change, judgement);
            tell(judgement.second(), change, judgement);
            tell(judgement.third(), change, judgement);
        }
        if (change.replayed()) {
            return;
        }
        send(judgement.oldLate());
        send(judgement.late());
        count(change, judgement);
    }

    /** Says ahead of the next barrier that a restore has opened partitions again. */
    void reopen(long from) {
        reopens = true;
        reopenedFrom = from;
    }

    /** Sends what was counted since the last time; nothing after the end of the input. */
    void emitTally() {
        if (finished) {
            return;
        }
        if (reopens) {
            reopens = false;
            output.collect(parts, new StreamRecord<>(new Part.Reopened(Reopening.from(reopenedFrom))));
        }
        long maxLateness = lateness.maxMillis();
        Tally tally = new Tally(applied, superseded, late, split, maxLateness, halfWindowExceeded, lateness.drain());
        output.collect(parts, new StreamRecord<>(new Part.Judged(tally)));
        applied = 0;
        superseded = 0;
        late = 0;
        split = 0;
        halfWindowExceeded = 0;
        warnOfOvertaken();
    }

    /** Their rows are in the ledger; but that a whole log is behind is for somebody to see to. */
    private void warnOfOvertaken() {
        if (overtaken > 0) {
            LOG.warn(
                    "{} changes since the last checkpoint came from logs that were idle or are new, to partitions that all"
                            + " other logs had closed; they are in the ledger as {}. A longer idleTimeout waits longer for"
                            + " such logs; rebuild brings the changes in",
                    overtaken,
                    LateReason.STATE_EXPIRED.word());
            overtaken = 0;
        }
    }

    /** Sends the last counts. */
    void finish() {
        emitTally();
        finished = true;
    }

    private void tell(@Nullable Contribution part, Change change, Judgement judgement) {
        if (part != null && sightings != null && devices != null) {
            // Only the first open day has a day before it that is not.
            boolean reachesBack = judgement.openFrom() == Long.MIN_VALUE || part.partition() > judgement.openFrom();
            sightings.tell(
                    part,
                    reachesBack,
                    change.log(),
                    change.sequence(),
                    reachesBack ? null : judgement.neighbour(),
                    told -> output.collect(devices, new StreamRecord<>(told)));
        }
    }

    private void send(@Nullable Contribution part) {
        if (part != null) {
            contribution.replace(part);
            output.collect(contribution);
        }
    }

    private void send(@Nullable LateChange change) {
        if (change != null) {
            output.collect(parts, new StreamRecord<>(new Part.Late(change)));
        }
    }

    private void count(Change change, Judgement judgement) {
        Outcome outcome = judgement.outcome();
        switch (outcome) {
            case APPLIED -> applied++;
            case SUPERSEDED -> superseded++;
            case LATE -> late++;
            case SPLIT -> split++;
        }
        if (outcome == Outcome.SUPERSEDED) {
            return;
        }
        if (judgement.overtaken()) {
            overtaken++;
        }
        if (judgement.exceedsHalf()) {
            halfWindowExceeded++;
        }
        if (change.hasObservedTime() && judgement.latenessEventTime() != LateChange.UNKNOWN) {
            lateness.count(
                    calendar.dayOf(change.observedAt()),
                    judgement.correction(),
                    judgement.age(),
                    Math.floorDiv(change.observedAt() - judgement.latenessEventTime(), 1000L),
                    outcome != Outcome.APPLIED);
        }
    }
}
