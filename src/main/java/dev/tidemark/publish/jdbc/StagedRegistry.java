package dev.tidemark.publish.jdbc;

import dev.tidemark.publish.Carried;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.StagedPart;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The parts of one job that are staged and not yet published, as {@code tidemark.staged_parts} has them. */
final class StagedRegistry {
    private final List<Entry> entries;

    private StagedRegistry(List<Entry> entries) {
        this.entries = entries;
    }

    /** @param epoch of the submission that staged it; 0 if that has not registered */
    private record Entry(
            String part,
            String submission,
            long checkpoint,
            long epoch,
            List<LogCut> logs,
            @Nullable StagedPart carried) {}

    static StagedRegistry read(Connection connection, String job) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.part, p.submission, p.checkpoint, coalesce(s.epoch, 0), p.cuts, p.carried
                from tidemark.staged_parts p
                left join tidemark.submissions s on s.job = p.job and s.submission = p.submission
                where p.job = ?
                order by p.checkpoint, p.part""")) {
            statement.setString(1, job);
            List<Entry> entries = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String carried = rows.getString(6);
                    entries.add(new Entry(
                            rows.getString(1),
                            rows.getString(2),
                            rows.getLong(3),
                            rows.getLong(4),
                            Json.logs(rows.getString(5)),
                            carried == null ? null : Json.receipt(carried)));
                }
            }
            return new StagedRegistry(entries);
        }
    }

    boolean holds(StagedPart part) {
        return entries.stream().anyMatch(entry -> entry.part().equals(part.part()));
    }

    /** The parts of a submission that are not kept for a later publication. */
    Set<String> notCarried(String submission) {
        Set<String> parts = new LinkedHashSet<>();
        for (Entry entry : entries) {
            if (entry.submission().equals(submission) && entry.carried() == null) {
                parts.add(entry.part());
            }
        }
        return parts;
    }

    List<Carried> carried() {
        record Checkpoint(String submission, long checkpoint) {}
        Map<Checkpoint, List<StagedPart>> groups = new java.util.LinkedHashMap<>();
        for (Entry entry : entries) {
            if (entry.carried() != null) {
                groups.computeIfAbsent(new Checkpoint(entry.submission(), entry.checkpoint()), key -> new ArrayList<>())
                        .add(entry.carried());
            }
        }
        List<Carried> carried = new ArrayList<>();
        groups.forEach((key, parts) -> carried.add(new Carried(key.submission(), key.checkpoint(), parts)));
        return carried;
    }

    /**
     * What a publication of a checkpoint leaves behind for good: its own parts and those before it, and of older epochs
     * those that stand at or before what is published now.
     */
    Set<String> spent(String submission, long checkpoint, long epoch, List<LogCut> published) {
        Map<String, LogCut> now = new HashMap<>();
        published.forEach(log -> now.put(log.log(), log));
        Map<String, Boolean> passed = new TreeMap<>();
        for (Entry entry : entries) {
            boolean behind = entry.logs().stream().allMatch(log -> {
                LogCut there = now.get(log.log());
                return there != null && log.comparePositionTo(there) <= 0;
            });
            passed.merge(entry.submission() + " " + entry.checkpoint(), behind, Boolean::logicalAnd);
        }
        Set<String> spent = new LinkedHashSet<>();
        for (Entry entry : entries) {
            boolean own = entry.submission().equals(submission) && entry.checkpoint() <= checkpoint;
            boolean older = entry.epoch() > 0
                    && entry.epoch() < epoch
                    && Boolean.TRUE.equals(passed.get(entry.submission() + " " + entry.checkpoint()));
            if (own || older) {
                spent.add(entry.part());
            }
        }
        return spent;
    }
}
