package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Values;
import dev.tidemark.lateness.LatenessEntry;
import dev.tidemark.publish.Decision;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.PublicationRule;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.Tally;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The statements of one publication, in the order in which they run. They see what the lock of the job's row guards. */
final class PublicationStatements {
    private final String job;
    private final Calendar calendar;
    private final int lookback;
    private final TargetNames names;
    private final ApplyStatement applyStatement;

    PublicationStatements(String job, Calendar calendar, int lookback, TargetNames names) {
        this.job = job;
        this.calendar = calendar;
        this.lookback = lookback;
        this.names = names;
        this.applyStatement = new ApplyStatement(job, names);
    }

    /**
     * What stands, read after the lock was had.
     *
     * @param number of the last publication of any kind
     * @param now the database's clock
     */
    record Last(Standing standing, long number, Timestamp now) {
        Last closed(PublicationRule rule) {
            return new Last(rule.closed(standing), number, now);
        }
    }

    Last last(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.publication, p.submission, p.logs, p.closed_before, p.ended_before, p.retained_from, p.lookback,
                       coalesce((select max(publication) from tidemark.publications where job = j.job), 0),
                       statement_timestamp()
                from tidemark.jobs j
                left join lateral (
                    select * from tidemark.publications
                    where job = j.job and logs is not null order by publication desc limit 1) p on true
                where j.job = ?""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Standing standing = row.getString(1) == null ? Standing.NONE : standing(row, calendar);
                return new Last(standing, row.getLong(8), row.getTimestamp(9));
            }
        }
    }

    /** What a job's last publication left, read without its lock. */
    static Standing standing(Connection connection, String job, Calendar calendar) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select publication, submission, logs, closed_before, ended_before, retained_from, lookback
                from tidemark.publications
                where job = ? and logs is not null order by publication desc limit 1""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? standing(row, calendar) : Standing.NONE;
            }
        }
    }

    private static Standing standing(ResultSet row, Calendar calendar) throws SQLException {
        return new Standing(
                row.getLong(1),
                row.getString(2),
                Json.logs(row.getString(3)),
                bound(row.getString(4), calendar),
                bound(row.getString(5), calendar),
                bound(row.getString(6), calendar),
                row.getInt(7));
    }

    /** Keeps parts for a later publication. */
    void carry(Connection connection, List<StagedPart> parts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.staged_parts
                    (part, job, submission, checkpoint, subtask, cells, late, rejected, cuts, carried, staged_at)
                values (cast(? as uuid), ?, ?, ?, -1, 0, 0, 0, cast(? as jsonb), cast(? as jsonb), clock_timestamp())
                on conflict (part) do update set cuts = excluded.cuts, carried = excluded.carried""")) {
            for (StagedPart part : parts) {
                statement.setString(1, part.part());
                statement.setString(2, job);
                statement.setString(3, part.submission());
                statement.setLong(4, part.checkpoint());
                statement.setString(5, Json.logs(Json.allLogs(part.cuts())));
                statement.setString(6, Json.receipt(part));
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    /** What rebuilds had filled before the stream; nothing that matters once the stream has published. */
    RebuiltPartitions rebuilt(Connection connection, Last last) throws SQLException {
        return last.standing().publication() > 0
                ? RebuiltPartitions.none(job, calendar, names, lookback)
                : RebuiltPartitions.read(connection, job, calendar, names, lookback);
    }

    /**
     * Applies parts, oldest first, and writes all that is told about them; false if nothing was there to tell.
     *
     * @param rebuilt partitions that the stream finds filled
     */
    boolean apply(
            Connection connection,
            StagedPart any,
            List<StagedPart> parts,
            List<Integer> ranks,
            Last last,
            RebuiltPartitions rebuilt,
            Decision.Publish decision)
            throws SQLException {
        long number = last.number() + 1;
        List<String> ids = parts.stream().map(StagedPart::part).toList();
        String changesFrom = isoBound(decision.changesFrom());
        Decision.Widening widening = decision.widening();
        ApplyStatement.Extent extent = verified(connection, parts, ids, changesFrom);
        if (widening != null && applyStatement.stageStrangers(connection, ids, isoBound(widening.replacedFrom())) > 0) {
            extent = applyStatement.extent(connection, ids, changesFrom);
        }
        Map<String, Long> leftAlone = rebuilt.leaveAlone(connection, ids);
        if (!leftAlone.isEmpty()) {
            extent = applyStatement.extent(connection, ids, changesFrom);
        }
        List<ApplyStatement.Touched> touched = List.of();
        if (extent.cells() > 0) {
            ApplyStatement.Bounds bounds = new ApplyStatement.Bounds(
                    changesFrom,
                    widening == null ? null : isoBound(widening.shownBefore()),
                    isoBound(last.standing().endedBefore()),
                    isoBound(decision.endedBefore()));
            touched = applyStatement.run(connection, ids, ranks, extent, bounds, number, last.now());
        }
        Map<String, Long> openLate = Map.of();
        long ledgered = 0;
        if (parts.stream().mapToLong(StagedPart::late).sum() > 0) {
            openLate = new TreeMap<>();
            ledgered = ledger(connection, ids, number, last.now(), openLate);
        }
        long rejected = 0;
        if (parts.stream().mapToLong(StagedPart::rejected).sum() > 0) {
            rejected = rejected(connection, ids, number, last.now());
        }
        if (decision.read() == 0 && touched.isEmpty() && ledgered == 0 && rejected == 0 && widening == null) {
            return false;
        }
        lateness(connection, decision.counts().lateness());
        insertPublication(connection, any, ids, touched, number, last.now(), decision);
        partitions(connection, touched, openLate, decision);
        rebuilt.mark(connection, leftAlone, number, last.now());
        if (widening != null) {
            recount(connection, isoBound(widening.replacedFrom()));
            new Incorporation(job, number, last.now())
                    .widened(connection, isoBound(widening.replacedFrom()), lookback, widening.stood());
        }
        if (!names.hasRevisions() && decision.closedBefore() > last.standing().closedBefore()) {
            thinRemovedCells(connection, decision.closedBefore());
        }
        return true;
    }

    void heartbeat(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "update tidemark.jobs set heartbeat_at = clock_timestamp() where job = ?")) {
            statement.setString(1, job);
            statement.executeUpdate();
        }
    }

    void deleteStaged(Connection connection, Collection<String> parts) throws SQLException {
        if (parts.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                with spent as (
                    delete from tidemark.staged_parts where part = any(cast(? as uuid[]))
                ), late as (
                    delete from tidemark.staged_late where part = any(cast(? as uuid[]))
                ), rejected as (
                    delete from tidemark.staged_rejected where part = any(cast(? as uuid[]))
                )
                delete from %s where _part = any(cast(? as uuid[]))""".formatted(names.staging()))) {
            for (int i = 1; i <= 4; i++) {
                statement.setArray(i, Parameters.text(connection, parts));
            }
            statement.executeUpdate();
        }
    }

    /** Looks at what is staged; fails if it is not what the receipts say. */
    private ApplyStatement.Extent verified(
            Connection connection, List<StagedPart> parts, List<String> ids, @Nullable String closedBefore)
            throws SQLException {
        long cells = parts.stream().mapToLong(StagedPart::cells).sum();
        long late = parts.stream().mapToLong(StagedPart::late).sum();
        long rejected = parts.stream().mapToLong(StagedPart::rejected).sum();
        ApplyStatement.Extent extent = cells == 0
                ? new ApplyStatement.Extent(0, null, null)
                : applyStatement.extent(connection, ids, closedBefore);
        requireCount(extent.cells(), cells, "cells");
        if (late + rejected > 0) {
            try (PreparedStatement statement = connection.prepareStatement("""
                    select (select count(*) from tidemark.staged_late where part = any(cast(? as uuid[]))),
                           (select count(*) from tidemark.staged_rejected where part = any(cast(? as uuid[])))""")) {
                statement.setArray(1, Parameters.text(connection, ids));
                statement.setArray(2, Parameters.text(connection, ids));
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    requireCount(row.getLong(1), late, "late changes");
                    requireCount(row.getLong(2), rejected, "rejected changes");
                }
            }
        }
        return extent;
    }

    /** How many cells of some parts are staged; fails if it is not what the receipts say. */
    long requireCells(Connection connection, List<StagedPart> parts) throws SQLException {
        return verified(connection, parts, parts.stream().map(StagedPart::part).toList(), null)
                .cells();
    }

    private void requireCount(long there, long staged, String what) {
        if (there != staged) {
            throw new WarehouseException(
                    "of " + staged + " " + what + " staged for the job " + job + " the warehouse holds "
                            + there
                            + ": somebody changed the staged rows; start from a savepoint or checkpoint taken at or before"
                            + " the last publication, or without state");
        }
    }

    private long ledger(Connection connection, List<String> ids, long number, Timestamp now, Map<String, Long> openLate)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                with entered as (
                    insert into tidemark.late_ledger
                        (job, split, "offset", half, record_id, op, partition, key, event_time, observed_at, lateness_ms,
                         age, frontier, open_from, reason, withheld, payload, publication, recorded_at)
                    select ?, split, "offset", half, record_id, op, partition, key, event_time, observed_at, lateness_ms,
                           age, frontier, open_from, reason, withheld, payload, ?, ?
                    from tidemark.staged_late where part = any(cast(? as uuid[]))
                    on conflict (job, split, "offset", half) do nothing
                    returning partition
                )
                select partition, count(*) from entered group by partition""")) {
            statement.setString(1, job);
            statement.setLong(2, number);
            statement.setTimestamp(3, now);
            statement.setArray(4, Parameters.text(connection, ids));
            long rows = 0;
            try (ResultSet counts = statement.executeQuery()) {
                while (counts.next()) {
                    String partition = counts.getString(1);
                    rows += counts.getLong(2);
                    if (partition != null) {
                        openLate.put(partition, counts.getLong(2));
                    }
                }
            }
            return rows;
        }
    }

    private long rejected(Connection connection, List<String> ids, long number, Timestamp now) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.rejected_changes
                    (job, split, "offset", reason, error, payload, payload_length, publication, recorded_at)
                select ?, split, "offset", reason, error, payload, payload_length, ?, ?
                from tidemark.staged_rejected where part = any(cast(? as uuid[]))
                on conflict (job, split, "offset") do nothing""")) {
            statement.setString(1, job);
            statement.setLong(2, number);
            statement.setTimestamp(3, now);
            statement.setArray(4, Parameters.text(connection, ids));
            return statement.executeUpdate();
        }
    }

    private void lateness(Connection connection, List<LatenessEntry> entries) throws SQLException {
        if (entries.isEmpty()) {
            return;
        }
        record Bucket(long day, boolean correction, long age, long bucket) {}
        Map<Bucket, LatenessEntry> sums = new LinkedHashMap<>();
        for (LatenessEntry entry : entries) {
            Bucket bucket = new Bucket(entry.observedDay(), entry.correction(), entry.age(), entry.bucketMillis());
            sums.merge(bucket, entry, PublicationStatements::sum);
        }
        List<String> days = new ArrayList<>();
        List<String> arrivals = new ArrayList<>();
        List<Long> ages = new ArrayList<>();
        List<Long> buckets = new ArrayList<>();
        List<Long> changes = new ArrayList<>();
        List<Long> late = new ArrayList<>();
        List<Long> maxima = new ArrayList<>();
        for (LatenessEntry entry : sums.values()) {
            days.add(LocalDate.ofEpochDay(entry.observedDay()).toString());
            arrivals.add(entry.correction() ? "correction" : "first");
            ages.add(entry.age());
            buckets.add(entry.bucketMillis());
            changes.add(entry.changes());
            late.add(entry.late());
            maxima.add(entry.maxMillis());
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.lateness as l (job, observed_day, arrival, age, bucket, changes, late, maximum)
                select ?, cast(day as date), arrival, age, bucket, changes, late, maximum
                from unnest(cast(? as text[]), cast(? as text[]), cast(? as bigint[]), cast(? as bigint[]),
                            cast(? as bigint[]), cast(? as bigint[]), cast(? as bigint[]))
                    as e (day, arrival, age, bucket, changes, late, maximum)
                on conflict (job, observed_day, arrival, age, bucket) do update set
                    changes = l.changes + excluded.changes, late = l.late + excluded.late,
                    maximum = greatest(l.maximum, excluded.maximum)""")) {
            statement.setString(1, job);
            statement.setArray(2, Parameters.text(connection, days));
            statement.setArray(3, Parameters.text(connection, arrivals));
            statement.setArray(4, Parameters.longs(connection, ages));
            statement.setArray(5, Parameters.longs(connection, buckets));
            statement.setArray(6, Parameters.longs(connection, changes));
            statement.setArray(7, Parameters.longs(connection, late));
            statement.setArray(8, Parameters.longs(connection, maxima));
            statement.executeUpdate();
        }
    }

    private static LatenessEntry sum(LatenessEntry a, LatenessEntry b) {
        return new LatenessEntry(
                a.observedDay(),
                a.correction(),
                a.age(),
                a.bucketMillis(),
                a.changes() + b.changes(),
                a.late() + b.late(),
                Math.max(a.maxMillis(), b.maxMillis()));
    }

    private void insertPublication(
            Connection connection,
            StagedPart any,
            List<String> ids,
            List<ApplyStatement.Touched> touched,
            long number,
            Timestamp now,
            Decision.Publish decision)
            throws SQLException {
        Tally counts = decision.counts();
        try (PreparedStatement statement = connection.prepareStatement("""
                insert into tidemark.publications
                    (job, publication, epoch, submission, checkpoint, kind, lookback, frontier_least, frontier_greatest,
                     closed_before, ended_before, complete_from, retained_from, replaced_from, records_read, applied, superseded, late, split, rejected,
                     cells_replaced, cells_removed, partitions, max_lateness_ms, half_window_exceeded, positions, logs,
                     started_at, published_at)
                select ?, ?, (select epoch from tidemark.submissions where job = ? and submission = ?), ?, ?, ?, ?,
                     cast(? as timestamptz), cast(? as timestamptz), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
                     cast(? as jsonb), cast(? as jsonb),
                     least(?, (select min(staged_at) from tidemark.staged_parts where part = any(cast(? as uuid[])))), ?
                """)) {
            int at = 1;
            statement.setString(at++, job);
            statement.setLong(at++, number);
            statement.setString(at++, job);
            statement.setString(at++, any.submission());
            statement.setString(at++, any.submission());
            statement.setLong(at++, any.checkpoint());
            statement.setString(at++, decision.widening() == null ? "stream" : "widen");
            statement.setInt(at++, lookback);
            statement.setString(at++, instant(decision.frontierLeast()));
            statement.setString(at++, instant(decision.frontierGreatest()));
            statement.setString(at++, isoBound(decision.closedBefore()));
            statement.setString(at++, isoBound(decision.endedBefore()));
            statement.setString(at++, isoBound(decision.completeFrom()));
            statement.setString(at++, isoBound(decision.retainedFrom()));
            statement.setString(
                    at++,
                    decision.widening() == null
                            ? null
                            : isoBound(decision.widening().replacedFrom()));
            statement.setLong(at++, decision.read());
            statement.setLong(at++, counts.applied());
            statement.setLong(at++, counts.superseded());
            statement.setLong(at++, counts.late());
            statement.setLong(at++, counts.split());
            statement.setLong(at++, decision.rejected());
            statement.setLong(
                    at++,
                    touched.stream().mapToLong(ApplyStatement.Touched::replaced).sum());
            statement.setLong(
                    at++,
                    touched.stream().mapToLong(ApplyStatement.Touched::removed).sum());
            statement.setLong(at++, touched.size());
            if (counts.maxLatenessMillis() < 0) {
                statement.setNull(at++, Types.BIGINT);
            } else {
                statement.setLong(at++, counts.maxLatenessMillis());
            }
            statement.setLong(at++, counts.halfWindowExceeded());
            statement.setString(at++, Json.positions(decision.logs()));
            statement.setString(at++, Json.logs(decision.logs()));
            statement.setTimestamp(at++, now);
            statement.setArray(at++, Parameters.text(connection, ids));
            statement.setTimestamp(at++, now);
            statement.executeUpdate();
        }
    }

    /** Adds to the rows of touched partitions and says of all rows by which publication they ended and closed. */
    private void partitions(
            Connection connection,
            List<ApplyStatement.Touched> touched,
            Map<String, Long> openLate,
            Decision.Publish decision)
            throws SQLException {
        Map<String, long[]> deltas = new TreeMap<>();
        for (ApplyStatement.Touched partition : touched) {
            deltas.put(partition.partition(), new long[] {partition.cells(), partition.members(), 0});
        }
        openLate.forEach((partition, rows) -> deltas.computeIfAbsent(partition, key -> new long[3])[2] += rows);
        if (!deltas.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement("""
                    insert into tidemark.partitions as p (job, partition, cells, members, open_late)
                    select ?, d.* from unnest(cast(? as text[]), cast(? as bigint[]), cast(? as bigint[]),
                                              cast(? as bigint[])) as d
                    on conflict (job, partition) do update set
                        cells = p.cells + excluded.cells, members = p.members + excluded.members,
                        open_late = p.open_late + excluded.open_late""")) {
                statement.setString(1, job);
                statement.setArray(2, Parameters.text(connection, deltas.keySet()));
                for (int i = 0; i < 3; i++) {
                    int place = i;
                    statement.setArray(
                            3 + i,
                            Parameters.longs(
                                    connection,
                                    deltas.values().stream()
                                            .map(delta -> delta[place])
                                            .toList()));
                }
                statement.executeUpdate();
            }
        }
        if (decision.widening() != null) {
            reopen(connection, isoBound(decision.closedBefore()));
        }
        passed(connection, isoBound(decision.endedBefore()), isoBound(decision.closedBefore()));
    }

    /** Says of partitions that are not known to have ended and closed by which publication they have. */
    void passed(Connection connection, @Nullable String endedBefore, @Nullable String closedBefore)
            throws SQLException {
        if (endedBefore == null) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.partitions p set
                    ended_by = coalesce(ended_by, (
                        select publication from tidemark.publications
                        where job = p.job and ended_before > p.partition order by ended_before, publication limit 1)),
                    closed_by = (
                        select publication from tidemark.publications c
                        where job = p.job and closed_before > p.partition and not exists (
                            select 1 from tidemark.publications w
                            where w.job = p.job and w.kind = 'widen' and w.publication > c.publication
                              and (w.closed_before is null or w.closed_before <= p.partition))
                        order by closed_before, publication limit 1)
                where job = ? and closed_by is null and partition < ? and (ended_by is null or partition < ?)""")) {
            statement.setString(1, job);
            statement.setString(2, endedBefore);
            statement.setString(3, closedBefore);
            statement.executeUpdate();
        }
    }

    /** Where rows of nobody's went, what was added up is not what stands. */
    private void recount(Connection connection, @Nullable String from) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.partitions p set cells = c.cells, members = c.members
                from (
                    select b.partition, count(t._members) as cells, coalesce(sum(t._members), 0) as members
                    from tidemark.partitions b
                    left join %s t on %s = b.partition and t.%s >= coalesce(cast(? as %s), '-infinity')
                    where b.job = ? and (cast(? as text) is null or b.partition >= ?)
                    group by b.partition) c
                where p.job = ? and p.partition = c.partition""".formatted(
                names.table(), names.iso("t." + names.partition()), names.partition(), names.partitionType()))) {
            statement.setString(1, from);
            statement.setString(2, job);
            statement.setString(3, from);
            statement.setString(4, from);
            statement.setString(5, job);
            statement.executeUpdate();
        }
    }

    /** What a larger lookback opens again is closed by no publication. */
    private void reopen(Connection connection, @Nullable String closedBefore) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                update tidemark.partitions set closed_by = null
                where job = ? and closed_by is not null and (cast(? as text) is null or partition >= ?)""")) {
            statement.setString(1, job);
            statement.setString(2, closedBefore);
            statement.setString(3, closedBefore);
            statement.executeUpdate();
        }
    }

    private void thinRemovedCells(Connection connection, long closedBefore) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("delete from tidemark.removed_cells where job = ? and partition < ?")) {
            statement.setString(1, job);
            statement.setString(2, isoBound(closedBefore));
            statement.executeUpdate();
        }
    }

    private static long bound(@Nullable String iso, Calendar calendar) {
        return iso == null ? Standing.NOWHERE : calendar.parse(iso);
    }

    private @Nullable String isoBound(long partition) {
        return partition == Standing.NOWHERE ? null : calendar.iso(partition);
    }

    private static @Nullable String instant(long micros) {
        return micros == LogCut.UNKNOWN ? null : Values.instant(micros).toString();
    }
}
