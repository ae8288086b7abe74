package dev.tidemark.publish.jdbc;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.publish.Observation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Reads how a job stands. Every part is found by an index, so that it can be asked often. */
final class ObservationQuery {
    private final String job;
    private final Calendar calendar;

    ObservationQuery(String job, Calendar calendar) {
        this.job = job;
        this.calendar = calendar;
    }

    Observation read(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select p.publication, extract(epoch from p.published_at), extract(epoch from s.frontier_least),
                       extract(epoch from s.frontier_greatest), s.closed_before, s.complete_from,
                       (select count(*) from tidemark.staged_parts c where c.job = j.job and c.carried is not null),
                       (select coalesce(sum(open_late), 0) from tidemark.partitions o where o.job = j.job),
                       (select extract(epoch from min(l.recorded_at)) from tidemark.late_ledger l
                        where l.job = j.job and l.status = 'open'),
                       extract(epoch from r.finished_at), extract(epoch from r.finished_at - r.started_at)
                from tidemark.jobs j
                left join lateral (
                    select * from tidemark.publications where job = j.job order by publication desc limit 1) p on true
                left join lateral (
                    select * from tidemark.publications where job = j.job and logs is not null
                    order by publication desc limit 1) s on true
                left join lateral (
                    select * from tidemark.rebuilds where job = j.job and publication is not null
                    order by finished_at desc limit 1) r on true
                where j.job = ?""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? new Observation(
                                row.getLong(1),
                                number(row, 2),
                                number(row, 3),
                                number(row, 4),
                                start(row.getString(5)),
                                start(row.getString(6)),
                                row.getLong(7),
                                row.getLong(8),
                                number(row, 9),
                                number(row, 10),
                                number(row, 11))
                        : Observation.NOTHING;
            }
        }
    }

    private static double number(ResultSet row, int column) throws SQLException {
        double number = row.getDouble(column);
        return row.wasNull() ? Observation.NONE : number;
    }

    private double start(@Nullable String partition) {
        return partition == null ? Observation.NONE : calendar.startOf(calendar.parse(partition)) / 1e6;
    }
}
