package dev.tidemark.gate;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.Rejection;
import dev.tidemark.change.Values;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Decides, from a decoded record alone, whether it may count; see {@link Rejection} for the reasons and their order. Not
 * thread-safe.
 */
public final class Screen {
    /** The most bytes that a target key may have: an index entry of PostgreSQL holds about 2,700. */
    public static final int KEY_LIMIT = 2000;

    private static final long FIRST_DAY = LocalDate.of(1, 1, 1).toEpochDay();
    private static final long LAST_DAY = LocalDate.of(9999, 12, 31).toEpochDay();
    private static final long FIRST_MICRO = Values.micros(Instant.parse("0001-01-01T00:00:00Z"));
    private static final long LAST_MICRO = Values.micros(Instant.parse("9999-12-31T23:59:59.999999Z"));

    private final Reading reading;
    private final Calendar calendar;
    private final long maxFutureSkew;
    private final boolean observed;
    private final boolean observedByKafka;
    private final int[] identity;
    private final int device;
    private final int[] stored;
    private final int[] maxLength;
    private final int[] askedOfDeletes;
    private final int[] askedOfFiltered;
    private final int[] askedOfUpserts;

    /**
     * @param columnLengths for text columns of the target that are limited, the most characters by column name
     */
    public Screen(JobPlan plan, Reading reading, Map<String, Integer> columnLengths) {
        this.reading = reading;
        this.calendar = Gate.calendarOf(plan);
        this.maxFutureSkew = plan.time().maxFutureSkew();
        this.observed = plan.time().observed() == JobPlan.Observed.FIELD;
        this.observedByKafka = plan.time().observed() == JobPlan.Observed.KAFKA_TIMESTAMP;
        this.identity = identitySlots(reading);
        this.device = plan.identity() == null
                ? -1
                : reading.fields().indexOf(plan.identity().device());
        this.stored = storedSlots(reading);
        this.maxLength = lengthsBySlot(plan, reading, columnLengths);
        Set<Integer> asked = new TreeSet<>(reading.asked());
        this.askedOfDeletes = array(asked);
        asked.addAll(reading.askedByWhere());
        this.askedOfFiltered = array(asked);
        this.askedOfUpserts = IntStream.range(0, reading.fields().size()).toArray();
    }

    /** What the record wants, its derived fields being there: a delete is not asked whether it meets {@code where}. */
    Intent intent(Draft draft) {
        if (isTrue(draft, reading.delete())) {
            return Intent.DELETE;
        }
        return reading.where() < 0 || isTrue(draft, reading.where()) ? Intent.UPSERT : Intent.FILTERED;
    }

    private static boolean isTrue(Draft draft, int slot) {
        return slot >= 0 && !draft.isNull(slot) && draft.fixed(slot) != 0;
    }

    /** Rejects the draft if it must not count. */
    void examine(RawRecord raw, Draft draft, Intent intent) {
        draft.rejectIfSpoiled(
                switch (intent) {
                    case DELETE -> askedOfDeletes;
                    case FILTERED -> askedOfFiltered;
                    case UPSERT -> askedOfUpserts;
                });
        if (draft.rejection() == Rejection.UNDECODABLE) {
            return;
        }
        boolean delete = intent.withdraws();
        examinePresence(raw, draft, delete);
        examineTimes(raw, draft);
        for (int slot : delete ? identity : stored) {
            if (!draft.isNull(slot)) {
                examineValue(draft, slot);
            }
        }
        if (!delete) {
            examineKeyLength(draft);
        }
    }

    private void examinePresence(RawRecord raw, Draft draft, boolean delete) {
        if (!delete && isMissing(draft, reading.event())) {
            draft.reject(Rejection.NO_EVENT_TIME, "field '" + name(reading.event()) + "' is null");
        }
        if (observedByKafka && raw.timestamp == RawRecord.UNKNOWN) {
            draft.reject(Rejection.NO_OBSERVED_TIME, "the record has no timestamp in Kafka");
        }
        requireAll(draft, reading.id(), Rejection.NO_ID);
        if (raw.tombstone) {
            return;
        }
        if (observed && isMissing(draft, reading.observed())) {
            draft.reject(Rejection.NO_OBSERVED_TIME, "field '" + name(reading.observed()) + "' is null");
        }
        requireAll(draft, reading.version(), Rejection.NO_VERSION);
        if (!delete) {
            requireAll(draft, reading.key(), Rejection.NO_KEY);
            if (device >= 0 && !draft.isSpoiled(device) && (draft.isNull(device) || draft.length(device) == 0)) {
                draft.reject(Rejection.NO_KEY, "field '" + name(device) + "' names no device");
            }
        }
    }

    /** Null, and not because its value cannot be had, which has a reason of its own. */
    private static boolean isMissing(Draft draft, int slot) {
        return draft.isNull(slot) && !draft.isSpoiled(slot);
    }

    private void requireAll(Draft draft, List<Integer> slots, Rejection reason) {
        for (int i = 0; i < slots.size(); i++) {
            int slot = slots.get(i);
            if (isMissing(draft, slot)) {
                draft.reject(reason, "field '" + name(slot) + "' is null");
            }
        }
    }

    private void examineTimes(RawRecord raw, Draft draft) {
        long observedAt = RawRecord.UNKNOWN;
        if (observedByKafka) {
            observedAt = raw.timestamp;
            if (observedAt != RawRecord.UNKNOWN && (observedAt < FIRST_MICRO || observedAt > LAST_MICRO)) {
                draft.reject(
                        Rejection.OUT_OF_RANGE,
                        "the timestamp in Kafka, " + Values.instant(observedAt) + ", lies outside the years 1 to 9999");
            }
        } else if (observed && !draft.isNull(reading.observed())) {
            observedAt = draft.fixed(reading.observed());
            if (raw.timestamp != RawRecord.UNKNOWN && observedAt > saturatedAdd(raw.timestamp, maxFutureSkew)) {
                draft.reject(
                        Rejection.OBSERVED_IN_FUTURE,
                        "observed time " + Values.instant(observedAt) + " is later than the timestamp in Kafka "
                                + Values.instant(raw.timestamp) + " and maxFutureSkew allow");
            }
        }
        if (draft.isNull(reading.event())) {
            return;
        }
        long event = draft.fixed(reading.event());
        if (observedAt != RawRecord.UNKNOWN && event > saturatedAdd(observedAt, maxFutureSkew)) {
            draft.reject(
                    Rejection.FUTURE_DATED,
                    "event time " + Values.instant(event) + " is later than the observed time "
                            + Values.instant(observedAt) + " and maxFutureSkew allow");
        }
        if (event < FIRST_MICRO || event > LAST_MICRO || !calendar.isInRange(calendar.partitionOf(event))) {
            draft.reject(
                    Rejection.OUT_OF_RANGE,
                    "event time " + Values.instant(event) + " lies outside the years 1 to 9999");
        }
    }

    private void examineValue(Draft draft, int slot) {
        FieldType type = reading.fields().get(slot).type();
        switch (type.kind()) {
            case FLOAT, DOUBLE -> {
                if (!Double.isFinite(draft.doubleAt(slot))) {
                    draft.reject(Rejection.OUT_OF_RANGE, "field '" + name(slot) + "' is " + draft.doubleAt(slot));
                }
            }
            case DATE -> requireRange(draft, slot, FIRST_DAY, LAST_DAY);
            case TIMESTAMP, LOCAL_TIMESTAMP -> requireRange(draft, slot, FIRST_MICRO, LAST_MICRO);
            case STRING -> examineText(draft, slot);
            default -> {
                // every value of the other types can be stored
            }
        }
    }

    private void requireRange(Draft draft, int slot, long first, long last) {
        if (draft.fixed(slot) < first || draft.fixed(slot) > last) {
            draft.reject(Rejection.OUT_OF_RANGE, "field '" + name(slot) + "' lies outside the years 1 to 9999");
        }
    }

    private void examineText(Draft draft, int slot) {
        byte[] bytes = draft.bytes(slot);
        int start = draft.start(slot);
        int length = draft.length(slot);
        int characters = Utf8.countStorable(bytes, start, length);
        if (characters < 0) {
            draft.reject(
                    Rejection.UNSTORABLE,
                    "field '" + name(slot) + "' holds a NUL, a lone surrogate or bytes that are not UTF-8");
        } else if (characters > maxLength[slot]) {
            draft.reject(
                    Rejection.TOO_LONG,
                    "field '" + name(slot) + "' has " + characters + " characters; its column holds "
                            + maxLength[slot]);
        }
    }

    private void examineKeyLength(Draft draft) {
        int length = 0;
        List<Integer> key = reading.key();
        for (int i = 0; i < key.size(); i++) {
            int slot = key.get(i);
            if (!draft.isNull(slot)) {
                length += reading.fields().get(slot).type().isFixed() ? Long.BYTES : draft.length(slot);
            }
        }
        if (length > KEY_LIMIT) {
            draft.reject(
                    Rejection.TOO_LONG,
                    "the target key has " + length + " bytes; at most " + KEY_LIMIT + " can be kept");
        }
    }

    private String name(int slot) {
        return reading.fields().get(slot).name();
    }

    private static long saturatedAdd(long a, long b) {
        long sum = a + b;
        return ((a ^ sum) & (b ^ sum)) < 0 ? Long.MAX_VALUE : sum;
    }

    private static int[] array(Set<Integer> slots) {
        return slots.stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    private static int[] identitySlots(Reading reading) {
        Set<Integer> slots = new HashSet<>(reading.id());
        slots.addAll(reading.version());
        if (reading.observed() >= 0) {
            slots.add(reading.observed());
        }
        return array(slots);
    }

    /** All but the delete field, which is stored nowhere. */
    private static int[] storedSlots(Reading reading) {
        Set<Integer> slots = new HashSet<>(reading.key());
        slots.addAll(reading.row());
        for (int slot : identitySlots(reading)) {
            slots.add(slot);
        }
        return array(slots);
    }

    private static int[] lengthsBySlot(JobPlan plan, Reading reading, Map<String, Integer> columnLengths) {
        int[] lengths = new int[reading.fields().size()];
        Arrays.fill(lengths, Integer.MAX_VALUE);
        for (int slot = 0; slot < lengths.length; slot++) {
            Field field = reading.fields().get(slot);
            for (Field key : plan.target().key()) {
                if (key.equals(field)) {
                    lengths[slot] =
                            Math.min(lengths[slot], columnLengths.getOrDefault(key.column(), Integer.MAX_VALUE));
                }
            }
            for (JobPlan.ValueColumn column : plan.target().columns()) {
                if (field.equals(column.field()) && column.function().isSelective()) {
                    lengths[slot] =
                            Math.min(lengths[slot], columnLengths.getOrDefault(column.name(), Integer.MAX_VALUE));
                }
            }
        }
        return lengths;
    }
}
