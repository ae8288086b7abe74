package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.PublishedTarget;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Writes what was published into a DuckDB file beside the changes, where a {@link Recomputation} finds it. */
public final class TargetFile implements PublishedTarget.Visitor, AutoCloseable {
    private static final String NAME = "target.duckdb";

    private final DuckDBConnection connection;
    private final DuckDBAppender rows;
    private final DuckDBAppender late;
    private final List<FieldType> key;
    private final List<FieldType> values;

    private TargetFile(JobPlan plan, DuckDBConnection connection) {
        this.connection = connection;
        this.key = plan.target().key().stream().map(Field::type).toList();
        this.values =
                plan.target().columns().stream().map(JobPlan.ValueColumn::type).toList();
        DuckDatabase.execute(connection, "lay out the target", layout());
        DuckDatabase.execute(connection, "lay out the ledger", """
                create table ledger (
                    split varchar not null, "offset" bigint not null, half varchar not null, partition varchar,
                    key varchar, record_id varchar, reason varchar not null)""");
        try {
            connection.setAutoCommit(false);
            this.rows = connection.createAppender("main", "target");
            this.late = connection.createAppender("main", "ledger");
        } catch (SQLException failure) {
            throw DuckDatabase.failed("write down the target", failure);
        }
    }

    /**
     * Begins a file.
     *
     * @param memoryMegabytes what DuckDB may hold in memory
     */
    public static TargetFile open(JobPlan plan, Path folder, long memoryMegabytes) {
        Path file = folder.resolve(NAME);
        try {
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new EvidenceException("could not clear " + file + ": " + failure.getMessage(), failure);
        }
        return new TargetFile(plan, DuckDatabase.open(file, memoryMegabytes, 1));
    }

    /** The file in a folder. */
    static Path in(Path folder) {
        return folder.resolve(NAME);
    }

    @Override
    public void row(PublishedTarget.Row row) {
        try {
            rows.beginRow().append(row.partition());
            append(key, row.key());
            append(values, row.values());
            append(row.members());
            append(row.fingerprint());
            append(row.publication());
            append(rows, row.unreadable());
            rows.endRow();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("write down a row of the target", failure);
        }
    }

    @Override
    public void late(PublishedTarget.Late row) {
        try {
            late.beginRow().append(row.split()).append(row.offset()).append(row.half());
            append(late, row.partition());
            append(late, row.key());
            append(late, row.recordId());
            late.append(row.reason()).endRow();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("write down a ledger row", failure);
        }
    }

    /** All has been handed over: from now on what was written stays. */
    public void finish() {
        try {
            rows.close();
            late.close();
            connection.commit();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("write down the target", failure);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw DuckDatabase.failed("close the target", failure);
        }
    }

    private String layout() {
        List<String> columns = new ArrayList<>(List.of("partition varchar not null"));
        for (int i = 0; i < key.size(); i++) {
            columns.add("k" + i + " " + DuckTypes.sql(key.get(i)));
        }
        for (int i = 0; i < values.size(); i++) {
            columns.add("c" + i + " " + DuckTypes.sql(values.get(i)));
        }
        columns.addAll(List.of("members bigint", "fingerprint bigint", "publication bigint", "unreadable varchar"));
        return "create table target (" + String.join(", ", columns) + ")";
    }

    private void append(List<FieldType> types, List<@Nullable Object> row) throws SQLException {
        for (int i = 0; i < types.size(); i++) {
            DuckTypes.append(rows, types.get(i), row.get(i));
        }
    }

    private void append(@Nullable Long number) throws SQLException {
        if (number == null) {
            rows.appendNull();
        } else {
            rows.append(number.longValue());
        }
    }

    private static void append(DuckDBAppender out, @Nullable String text) throws SQLException {
        if (text == null) {
            out.appendNull();
        } else {
            out.append(text);
        }
    }
}
