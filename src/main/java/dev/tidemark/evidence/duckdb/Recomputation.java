package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.publish.LogCut;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * A full recomputation over the changes that recorders of {@link ChangeFiles} have written into a folder: the tables that
 * the package describes, in a DuckDB file beside them. Not thread-safe.
 */
public final class Recomputation implements AutoCloseable {
    private static final String ALL = "true";

    private final JobPlan plan;
    private final Names names;
    private final DuckDBConnection connection;

    private Recomputation(JobPlan plan, DuckDBConnection connection) {
        this.plan = plan;
        this.names = new Names(plan);
        this.connection = connection;
    }

    /**
     * Begins: the files are closed, and there is no recomputation in the folder yet.
     *
     * @param plan as it reads its history
     * @param memoryMegabytes what DuckDB may hold in memory
     * @throws EvidenceException if the files cannot be read
     */
    public static Recomputation open(JobPlan plan, Path folder, long memoryMegabytes, int threads) {
        DuckDBConnection connection =
                DuckDatabase.open(folder.resolve("recomputation.duckdb"), memoryMegabytes, threads);
        Recomputation opened = new Recomputation(plan, connection);
        try {
            opened.attach(folder);
            CellSql.MACROS.forEach(macro -> opened.run("define a function", macro));
        } catch (RuntimeException failure) {
            try (opened) {
                throw failure;
            }
        }
        return opened;
    }

    /** Where the tables are, for further questions. Closed with the recomputation. */
    public Connection connection() {
        return connection;
    }

    /** Finds what lives of every record: the table {@code live}. */
    public void findLive() {
        new LiveSql(plan, names).statements(ALL).forEach(sql -> run("find what lives of each record", sql));
    }

    /**
     * Finds what lives of the records that a change of some partitions is about, which is enough to tell what these
     * partitions hold.
     *
     * @param from the first partition as ISO text; null: from the first that there is
     * @param to the last one; null: to the last that there is
     */
    public void findLive(@Nullable String from, @Nullable String to) {
        String range = within("partition", from, to);
        if (range.equals(ALL)) {
            findLive();
            return;
        }
        LiveSql live = new LiveSql(plan, names);
        String among =
                plan.changes().hasId() ? "record_id in (select record_id from changes where " + range + ")" : range;
        live.statements(among).forEach(sql -> run("find what lives of each record", sql));
        run("leave out other partitions", "delete from live where not (" + range + ")");
    }

    /** Computes the cells of what lives: the table {@code cells}. */
    public void computeCells() {
        computeCells("live", "cells");
    }

    /** Computes the cells of members that a table has in the columns of {@code live}: a table of that name. */
    void computeCells(String members, String into) {
        computeCells(plan, members, into);
    }

    /** The same of another plan, whose rows are laid out alike. */
    void computeCells(JobPlan as, String members, String into) {
        CellSql sql = new CellSql(as, names);
        String aggregated = into + "_aggregated";
        run("compute the cells", sql.aggregated(members, aggregated));
        List<Integer> exact = sql.exactSums();
        for (int index : exact) {
            ValueColumn column = as.target().columns().get(index);
            try {
                ExactSums.write(connection, sql.mantissas(members, aggregated, index), column.function(), "x" + index);
            } catch (SQLException failure) {
                throw DuckDatabase.failed("add up " + column.name(), failure);
            }
        }
        run("compute the cells", sql.assembled(members, aggregated, into));
        exact.forEach(index -> run("clear away", "drop table x" + index));
        run("clear away", "drop table " + aggregated);
    }

    /** How far each log was read; several readers may have read parts of it. */
    public List<LogCut> logs() {
        Map<String, LogCut> furthest = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "select log, split, next_offset, coalesce(whole_from, " + LogCut.UNKNOWN + ") from logs")) {
            while (row.next()) {
                LogCut log = new LogCut(
                        row.getString(1),
                        row.getString(2),
                        row.getLong(3),
                        row.getString(2),
                        row.getLong(3),
                        LogCut.UNKNOWN,
                        row.getLong(4),
                        false,
                        false);
                furthest.merge(log.log(), log, (one, other) -> one.comparePositionTo(other) >= 0 ? one : other);
            }
        } catch (SQLException failure) {
            throw DuckDatabase.failed("read how far the history was read", failure);
        }
        return new ArrayList<>(furthest.values());
    }

    /** How many records were read, rejected ones included. */
    public long records() {
        return number("select coalesce(sum(records), 0)::bigint from readings");
    }

    /** How many of them were rejected. */
    public long rejected() {
        return number("select count(*) from rejections");
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("close the recomputation", failure);
        }
    }

    Names names() {
        return names;
    }

    DuckDBConnection duckdb() {
        return connection;
    }

    /** Another connection, to read while something is written. */
    DuckDBConnection reading() {
        try {
            return connection.duplicate();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("open the recomputation a second time", failure);
        }
    }

    long number(String sql) {
        return DuckDatabase.number(connection, "ask the recomputation", sql);
    }

    void run(String what, String sql) {
        DuckDatabase.execute(connection, what, sql);
    }

    /** A condition for partitions as text. */
    static String within(String column, @Nullable String from, @Nullable String to) {
        List<String> bounds = new ArrayList<>();
        if (from != null) {
            bounds.add(column + " >= '" + from + "'");
        }
        if (to != null) {
            bounds.add(column + " <= '" + to + "'");
        }
        return bounds.isEmpty() ? ALL : String.join(" and ", bounds);
    }

    private void attach(Path folder) {
        List<Path> files;
        try (Stream<Path> found = Files.list(folder)) {
            files = found.filter(ChangeFiles::isOne).sorted().toList();
        } catch (IOException failure) {
            throw new EvidenceException("could not list " + folder + ": " + failure.getMessage(), failure);
        }
        if (files.isEmpty()) {
            throw new EvidenceException("nobody has written changes into " + folder);
        }
        for (int i = 0; i < files.size(); i++) {
            attach(files.get(i), "part" + i);
        }
        for (String table : List.of("changes", "rejections", "logs", "readings")) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < files.size(); i++) {
                parts.add("select * from part" + i + "." + table);
            }
            run("open what was read", "create view " + table + " as " + String.join(" union all ", parts));
        }
        Path target = TargetFile.in(folder);
        if (Files.exists(target)) {
            attach(target, "published");
        }
    }

    private void attach(Path file, String name) {
        run("open what was read", "attach '" + file.toString().replace("'", "''") + "' as " + name + " (read_only)");
    }
}
