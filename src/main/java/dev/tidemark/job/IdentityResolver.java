package dev.tidemark.job;

import dev.tidemark.job.FieldType.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resolves who events are told of, and checks that the target can show it. */
final class IdentityResolver {
    private static final Duration SESSION_GAP = Duration.ofMinutes(30);
    private static final Duration GREATEST_GAP = Duration.ofDays(1);

    private final JobFile.@Nullable Identity written;
    private final FieldLookup fields;
    private final Problems problems;

    IdentityResolver(JobFile.@Nullable Identity written, FieldLookup fields, Problems problems) {
        this.written = written;
        this.fields = fields;
        this.problems = problems;
    }

    /** The plan; null if there is none, or something is wrong. */
    @Nullable
    IdentityPlan resolve() {
        if (written == null) {
            return null;
        }
        Field device = written.device() == null ? null : text("identity.device", written.device());
        Field user = written.user() == null ? null : text("identity.user", written.user());
        Field platform = written.platform() == null ? null : text("identity.platform", written.platform());
        if (user != null && user.equals(device)) {
            problems.wrong(
                    "identity.user", "field '" + user.name() + "' is the device too", "expected the field of the user");
        }
        Duration gap = written.sessionGap() == null ? SESSION_GAP : written.sessionGap();
        if (gap.isNegative() || TimeUnit.NANOSECONDS.toMicros(gap.getNano()) + gap.getSeconds() == 0) {
            problems.wrong(
                    "identity.sessionGap", "is not longer than nothing", "expected a duration such as 30m, at most 1d");
        } else if (gap.compareTo(GREATEST_GAP) > 0) {
            problems.wrong(
                    "identity.sessionGap",
                    "is longer than the day that a session is looked at ahead",
                    "expected a duration such as 30m, at most 1d");
        }
        if (device == null || user == null) {
            return null;
        }
        return new IdentityPlan(
                device,
                user,
                platform,
                TimeUnit.SECONDS.toMicros(gap.getSeconds()) + TimeUnit.NANOSECONDS.toMicros(gap.getNano()));
    }

    private @Nullable Field text(String path, String name) {
        Field field = fields.field(path, name);
        if (field == null || field.type().kind() == Kind.STRING) {
            return field;
        }
        problems.wrong(
                path,
                "field '" + name + "' is " + fields.described(name) + ", not text",
                "derive a text of it, fields: { " + name.replace('.', '_') + "_text: cast(" + name
                        + " as text) }, and name that");
        return null;
    }

    /** Checks what the target asks for against what is said of identity, and against the partition. */
    void check(JobFile.@Nullable Target target, @Nullable Grain grain) {
        if (target == null || target.columns() == null) {
            return;
        }
        String columns = target.columns().entrySet().stream()
                .filter(column ->
                        column.getValue().functions().keySet().stream().anyMatch(Aggregate::isOfIdentities))
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(", "));
        if (columns.isEmpty()) {
            if (written != null) {
                problems.wrong(
                        "identity",
                        "no column asks for it",
                        "add columns by identities or identifiedEvents, or leave the block out");
            }
            return;
        }
        if (written == null) {
            problems.missing("identity", "the columns " + columns + " need device and user");
        }
        if (target.key() != null && !target.key().isEmpty()) {
            problems.wrong(
                    "target.key",
                    "identities are counted by the day, not by " + String.join(", ", target.key()),
                    "expected [] where columns are by identities or identifiedEvents: " + columns);
        }
        if (grain != null && grain != Grain.DAY) {
            problems.wrong(
                    "partition.grain",
                    "identities are counted by the day, not by the " + grain.word(),
                    "expected day where columns are by identities or identifiedEvents: " + columns);
        }
        String running = target.columns().entrySet().stream()
                .filter(column ->
                        column.getValue().functions().keySet().stream().anyMatch(Aggregate::isRunning))
                .map(Map.Entry::getKey)
                .collect(Collectors.joining(", "));
        if (!running.isEmpty()) {
            problems.wrong(
                    "target.columns",
                    "running columns and columns by identities do not stand in one target",
                    "give " + running + " a target, and so a job, of their own");
        }
    }
}
