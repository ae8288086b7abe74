package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.Progress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** Reads a job's progress from its publications. */
public final class JdbcProgress implements Progress.Reader {
    private static final String SINCE = """
            select coalesce(max(p.publication), 0), count(*), coalesce(sum(p.records_read), 0),
                   coalesce(sum(p.applied), 0), coalesce(sum(p.superseded), 0), coalesce(sum(p.late), 0),
                   coalesce(sum(p.split), 0), coalesce(sum(p.rejected), 0), coalesce(sum(p.cells_replaced), 0),
                   coalesce(sum(p.cells_removed), 0)
            from tidemark.publications p
            where p.job = ? and p.publication > ?""";
    private static final String LAST = """
            select p.publication, p.frontier_least, p.frontier_greatest, p.complete_from, p.closed_before
            from tidemark.publications p
            where p.job = ?
            order by p.publication desc
            limit 1""";

    private final String job;
    private final Transactions transactions;

    public JdbcProgress(String job, Connections connections) {
        this.job = job;
        this.transactions = new Transactions(connections, Session.named("tidemark " + job + " progress"));
    }

    @Override
    public Progress since(long publication) {
        return transactions.run("read the publications of job " + job, connection -> read(connection, publication));
    }

    @Override
    public void close() {
        transactions.close();
    }

    private Progress read(Connection connection, long publication) throws SQLException {
        try (PreparedStatement sums = connection.prepareStatement(SINCE);
                PreparedStatement last = connection.prepareStatement(LAST)) {
            sums.setString(1, job);
            sums.setLong(2, publication);
            last.setString(1, job);
            try (ResultSet sum = sums.executeQuery();
                    ResultSet row = last.executeQuery()) {
                sum.next();
                boolean any = row.next();
                return new Progress(
                        any ? row.getLong(1) : 0,
                        sum.getLong(2),
                        sum.getLong(3),
                        sum.getLong(4),
                        sum.getLong(5),
                        sum.getLong(6),
                        sum.getLong(7),
                        sum.getLong(8),
                        sum.getLong(9),
                        sum.getLong(10),
                        any ? instant(row, 2) : null,
                        any ? instant(row, 3) : null,
                        any ? row.getString(4) : null,
                        any ? row.getString(5) : null);
            }
        }
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
