package dev.tidemark.cli;

import com.dynatrace.hash4j.hashing.Hashing;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.lateness.DailyReads;
import dev.tidemark.lateness.StrictLoss;
import dev.tidemark.lateness.StrictReplay;
import dev.tidemark.pipeline.RecordedChanges;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Goes through a job's recorded changes as the naive reader would have. */
final class StrictBaseline {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final RecordedChanges recorded;
    private final Field version;
    private final List<Integer> per;
    private final Calendar calendar;
    private final RowLayout row;
    private final int value;

    /**
     * @param perFields what is counted; empty: records
     * @param valueField the field that says what a record is worth; null: none does
     */
    StrictBaseline(JobPlan plan, RecordedChanges recorded, List<String> perFields, @Nullable String valueField) {
        this.recorded = recorded;
        this.version = version(plan);
        this.per = per(plan, perFields);
        this.calendar = Gate.calendarOf(plan);
        this.row = RowLayout.ofFields(plan.rowFields());
        this.value = valueField == null
                ? -1
                : plan.rowFields().stream().map(Field::name).toList().indexOf(valueField);
    }

    private static Field version(JobPlan plan) {
        if (plan.source().kafka() != null) {
            throw CommandException.wrongUse(
                    "--strict-watermark replays files, and the job reads a topic: replay a job file that names the same records"
                            + " as files");
        }
        if (!plan.changes().hasId() || plan.time().observed() == JobPlan.Observed.NONE) {
            throw CommandException.wrongUse(
                    "--strict-watermark needs to know what a record is and when it could first be seen: changes.id and"
                            + " time.observed");
        }
        Field first = plan.changes().version().isEmpty()
                ? null
                : plan.changes().version().get(0);
        if (first == null || first.type().kind() != FieldType.Kind.TIMESTAMP) {
            throw CommandException.wrongUse(
                    "--strict-watermark stands for a reader of updated_at > MAX(updated_at), but the version of this job is %s:"
                            + " only a job whose changes.version begins with a timestamp can be replayed",
                    first == null
                            ? "its position"
                            : first.name() + ", " + first.type().sql());
        }
        return first;
    }

    private static List<Integer> per(JobPlan plan, List<String> names) {
        List<String> id = plan.changes().id().stream().map(Field::name).toList();
        for (String name : names) {
            if (!id.contains(name)) {
                throw CommandException.wrongUse(
                        "--per: '%s' is not among the fields of changes.id: %s", name, String.join(", ", id));
            }
        }
        return names.size() == id.size()
                ? List.of()
                : names.stream().map(id::indexOf).toList();
    }

    /** What readers with these reads lose, one for each lookback. */
    List<StrictLoss> losses(DailyReads reads, List<Duration> lookbacks) {
        List<StrictReplay> replays = lookbacks.stream()
                .map(lookback -> new StrictReplay(reads, lookback))
                .toList();
        recorded.forEach(change -> {
            if (!change.version().isEmpty()) {
                long version = versionOf(change);
                replays.forEach(replay -> replay.survey(change.observedAt(), version));
            }
        });
        recorded.forEach(change -> {
            if (!change.version().isEmpty()) {
                StrictReplay.Row row = row(change);
                replays.forEach(replay -> replay.replay(row));
            }
        });
        return replays.stream().map(StrictReplay::loss).toList();
    }

    private StrictReplay.Row row(Change change) {
        long id = hash(change.recordId().array());
        long updated = versionOf(change);
        long happened = change.hasEventTime() ? change.eventTime() : updated;
        return new StrictReplay.Row(
                per.isEmpty() ? id : counted(change),
                id,
                change.delete(),
                change.observedAt(),
                updated,
                happened,
                calendar.dayOf(happened),
                valueOf(change));
    }

    private long versionOf(Change change) {
        Object value = new OrderedBytes.Reader(change.version()).next(version.type());
        return Values.micros((Instant) value);
    }

    private @Nullable BigDecimal valueOf(Change change) {
        if (value < 0 || change.row() == null) {
            return null;
        }
        Object worth = row.values(change.row()).get(value);
        return worth == null ? null : new BigDecimal(worth.toString());
    }

    private long counted(Change change) {
        try {
            JsonNode parts = MAPPER.readTree(change.recordId().array());
            StringBuilder text = new StringBuilder();
            per.forEach(place -> text.append(parts.get(place)).append('\0'));
            return hash(text.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException notReadable) {
            throw new IllegalStateException("the id of a record is no JSON array", notReadable);
        }
    }

    private static long hash(byte[] bytes) {
        return Hashing.xxh3_64().hashBytesToLong(bytes);
    }
}
