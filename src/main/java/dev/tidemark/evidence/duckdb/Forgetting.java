package dev.tidemark.evidence.duckdb;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Bytes;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.job.JobPlan;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/**
 * Finds where records were forgotten, by the rule of memory: a record is remembered under the greatest of the partitions that
 * its changes named and of those where the frontier stood, and is forgotten for a change when that is more than {@code
 * retain} partitions behind the frontier of the change's log. The frontier is found again by going through all changes.
 *
 * <p>Only records are looked at that have ever had a version in a cell that is wrong.
 */
final class Forgetting {
    private final JobPlan plan;
    private final Recomputation recomputation;
    private final Names names;

    Forgetting(JobPlan plan, Recomputation recomputation) {
        this.plan = plan;
        this.recomputation = recomputation;
        this.names = recomputation.names();
    }

    /**
     * Makes the table {@code segments}: of each change of these records its log, its sequence, and how often the record had
     * been forgotten before it.
     */
    void findSegments() {
        recomputation.run(
                "find whose changes to look at",
                "create table suspects as select distinct c.record_id from changes c where op = 'upsert' and exists ("
                        + "select 1 from differences d where d.verdict = 'wrong' and d.kind <> 'repeated' and "
                        + names.sameCell("d", "c") + ")");
        recomputation.run(
                "find whose changes to look at",
                "create table horizons (log varchar, sequence bigint, frontier bigint)");
        recomputation.run(
                "find whose changes to look at",
                "create table segments (log varchar, sequence bigint, segment integer)");
        try {
            findFrontiers();
            findForgotten();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("find what was forgotten", failure);
        }
        recomputation.run("clear away", "drop table horizons");
        recomputation.run("clear away", "drop table suspects");
    }

    /** The frontier of its log after each change of a suspect. */
    private void findFrontiers() throws SQLException {
        boolean byEvent = plan.time().frontier() == JobPlan.FrontierKind.EVENT;
        String mark = byEvent ? "event_time - " + plan.time().outOfOrderness() : "observed_at";
        Calendar calendar = Gate.calendarOf(plan);
        DuckDBConnection connection = recomputation.duckdb();
        try (DuckDBConnection reading = recomputation.reading();
                Statement statement = reading.createStatement();
                ResultSet row = statement.executeQuery(
                        "select log, sequence, " + mark
                                + ", record_id, record_id in (select record_id from suspects) from changes order by log, sequence");
                DuckDBAppender out = connection.createAppender("main", "horizons")) {
            String log = null;
            Frontier frontier = new Frontier(calendar, plan.time().maxAdvance());
            while (row.next()) {
                if (!row.getString(1).equals(log)) {
                    log = row.getString(1);
                    frontier = new Frontier(calendar, plan.time().maxAdvance());
                }
                long time = row.getLong(3);
                if (!row.wasNull()) {
                    frontier.accept(time, Bytes.utf8(row.getString(4)));
                }
                if (row.getBoolean(5)) {
                    out.beginRow()
                            .append(log)
                            .append(row.getLong(2))
                            .append(frontier.h())
                            .endRow();
                }
            }
        }
    }

    private void findForgotten() throws SQLException {
        Calendar calendar = Gate.calendarOf(plan);
        DuckDBConnection connection = recomputation.duckdb();
        try (DuckDBConnection reading = recomputation.reading();
                Statement statement = reading.createStatement();
                // Logs are read side by side: where the frontier was is the nearest to the order in which they were.
                ResultSet row = statement.executeQuery("""
                        select c.record_id, c.log, c.sequence, c.event_time, h.frontier
                        from changes c join horizons h on h.log = c.log and h.sequence = c.sequence
                        order by c.record_id, h.frontier, c.log, c.sequence""");
                DuckDBAppender out = connection.createAppender("main", "segments")) {
            String record = null;
            Memory memory = new Memory(calendar, plan.partition().retain());
            while (row.next()) {
                if (!row.getString(1).equals(record)) {
                    record = row.getString(1);
                    memory = new Memory(calendar, plan.partition().retain());
                }
                long event = row.getLong(4);
                boolean named = !row.wasNull();
                memory.read(row.getLong(5), named, event);
                out.beginRow()
                        .append(row.getString(2))
                        .append(row.getLong(3))
                        .append(memory.forgotten)
                        .endRow();
            }
        }
    }

    /** What is remembered of one record, and how often it was forgotten. */
    private static final class Memory {
        private final Calendar calendar;
        private final int retain;
        private final Map<Long, Long> horizons = new HashMap<>();
        private long under = Long.MIN_VALUE;
        private boolean known;
        private int forgotten;

        private Memory(Calendar calendar, int retain) {
            this.calendar = calendar;
            this.retain = retain;
        }

        private void read(long h, boolean named, long event) {
            long at = h == Frontier.UNKNOWN ? Long.MIN_VALUE : calendar.partitionOf(h);
            if (known && h != Frontier.UNKNOWN && under < horizon(at)) {
                forgotten++;
                under = Long.MIN_VALUE;
            }
            known = true;
            under = Math.max(under, at);
            if (named) {
                under = Math.max(under, calendar.partitionOf(event));
            }
        }

        private long horizon(long frontier) {
            return horizons.computeIfAbsent(frontier, it -> calendar.plus(it, -retain));
        }
    }
}
