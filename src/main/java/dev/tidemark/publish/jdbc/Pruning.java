package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.publish.WarehouseException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Thins out what is old in a job's bookkeeping, in transactions of a few thousand rows each. It may be interrupted anywhere
 * and repeated.
 *
 * <p>What somebody still needs stays, however old: open ledger rows, and resolved ones of partitions that the state of the
 * stream has not forgotten, because a widening asks for them; the newest publication of each kind, and every one that a
 * partition, a ledger row, a rejected change, a rebuild or a reconciliation names; the last rebuild; the submissions, by
 * which an older one is known to be fenced for good; all that is staged.
 */
public final class Pruning {
    private static final int BATCH = 5_000;

    private static final String PUBLICATIONS = """
            from tidemark.publications p
            where p.job = ? and p.published_at < ?
              and p.publication not in (
                  select max(n.publication) from tidemark.publications n where n.job = p.job group by n.kind)
              and p.publication is distinct from (
                  select max(n.publication) from tidemark.publications n where n.job = p.job and n.logs is not null)
              and not exists (select from tidemark.partitions r where r.job = p.job and r.ended_by = p.publication)
              and not exists (select from tidemark.partitions r where r.job = p.job and r.closed_by = p.publication)
              and not exists (select from tidemark.partitions r where r.job = p.job and r.rebuilt_by = p.publication)
              and not exists (select from tidemark.late_ledger r where r.job = p.job and r.publication = p.publication)
              and not exists (select from tidemark.late_ledger r where r.job = p.job and r.resolved_by = p.publication)
              and not exists (select from tidemark.rejected_changes r where r.job = p.job and r.publication = p.publication)
              and not exists (select from tidemark.rebuilds r where r.job = p.job and r.publication = p.publication)
              and not exists (select from tidemark.reconciliation_runs r where r.job = p.job and r.publication = p.publication)""";
    private static final String LEDGER = """
            from tidemark.late_ledger p
            where p.job = ? and p.resolved_at < ? and p.status <> 'open'
              and (p.partition is null or p.partition < (
                  select n.retained_from from tidemark.publications n
                  where n.job = p.job and n.logs is not null order by n.publication desc limit 1))""";
    private static final String REJECTED = "from tidemark.rejected_changes p where p.job = ? and p.recorded_at < ?";
    private static final String LATENESS = """
            from tidemark.lateness p
            where p.job = ?
              and p.observed_day < (cast(? as timestamptz) at time zone (
                  select j.zone from tidemark.jobs j where j.job = p.job))::date""";
    private static final String REBUILDS = """
            from tidemark.rebuilds p
            where p.job = ? and p.finished_at < ?
              and p.finished_at < (
                  select max(n.finished_at) from tidemark.rebuilds n where n.job = p.job and n.error is null)""";
    private static final String OPERATIONS = "from tidemark.operations p where p.job = ? and p.finished_at < ?";

    private final String job;
    private final Connections connections;

    public Pruning(String job, Connections connections) {
        this.job = job;
        this.connections = connections;
    }

    /** How many rows of each table would go. */
    public Map<String, Long> count(Instant before) {
        Map<String, Long> rows = new LinkedHashMap<>();
        run(
                "count the old bookkeeping of the job " + job,
                transactions -> tables().forEach((table, rule) ->
                        rows.put(table, transactions.run("count old rows of " + table, connection -> {
                            try (PreparedStatement statement = prepared(connection, "select count(*) " + rule, before);
                                    ResultSet count = statement.executeQuery()) {
                                count.next();
                                return count.getLong(1);
                            }
                        }))));
        return rows;
    }

    /** Removes them, and says how many of each table went. */
    public Map<String, Long> remove(Instant before) {
        Map<String, Long> rows = new LinkedHashMap<>();
        run(
                "thin out the bookkeeping of the job " + job,
                transactions -> tables().forEach((table, rule) -> rows.put(
                        table,
                        table.equals("publications")
                                ? removePublications(transactions, before)
                                : removeInBatches(transactions, table, rule, before))));
        return rows;
    }

    /** What names publications goes before them, so that they can follow in the same run. */
    private static Map<String, String> tables() {
        Map<String, String> tables = new LinkedHashMap<>();
        tables.put("late_ledger", LEDGER);
        tables.put("rejected_changes", REJECTED);
        tables.put("lateness", LATENESS);
        tables.put("rebuilds", REBUILDS);
        tables.put("operations", OPERATIONS);
        tables.put("publications", PUBLICATIONS);
        return tables;
    }

    private long removeInBatches(Transactions transactions, String table, String rule, Instant before) {
        String delete = "delete from tidemark." + table + " where ctid = any(array(select p.ctid " + rule + " limit "
                + BATCH + "))";
        long removed = 0;
        while (true) {
            int batch = transactions.run("remove old rows of " + table, connection -> {
                try (PreparedStatement statement = prepared(connection, delete, before)) {
                    return statement.executeUpdate();
                }
            });
            removed += batch;
            if (batch < BATCH) {
                return removed;
            }
        }
    }

    /** Looked for once, because all of the ledger is read for it. One that is found is named by nobody from then on. */
    private long removePublications(Transactions transactions, Instant before) {
        List<Long> numbers = transactions.run("look for old publications", connection -> {
            try (PreparedStatement statement = prepared(connection, "select p.publication " + PUBLICATIONS, before);
                    ResultSet row = statement.executeQuery()) {
                List<Long> found = new ArrayList<>();
                while (row.next()) {
                    found.add(row.getLong(1));
                }
                return found;
            }
        });
        long removed = 0;
        for (int from = 0; from < numbers.size(); from += BATCH) {
            List<Long> batch = numbers.subList(from, Math.min(numbers.size(), from + BATCH));
            removed += transactions.run("remove old publications", connection -> {
                try (PreparedStatement statement = connection.prepareStatement(
                        "delete from tidemark.publications where job = ? and publication = any(?)")) {
                    statement.setString(1, job);
                    statement.setArray(2, Parameters.longs(connection, batch));
                    return statement.executeUpdate();
                }
            });
        }
        return removed;
    }

    private PreparedStatement prepared(Connection connection, String sql, Instant before) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setString(1, job);
        statement.setObject(2, before.atOffset(ZoneOffset.UTC));
        return statement;
    }

    /** What is done with the one connection. */
    @FunctionalInterface
    private interface Work {
        void run(Transactions transactions);
    }

    private void run(String what, Work work) {
        try (Transactions transactions = new Transactions(connections, Session.named("tidemark prune " + job))) {
            work.run(transactions);
        } catch (DatabaseException failure) {
            throw new WarehouseException("could not " + what + ": " + failure.getMessage(), failure);
        }
    }
}
