package dev.tidemark.evidence.duckdb;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.evidence.PartitionText;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.LogCut;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * Makes recorders that write DuckDB files, one a reader, into a folder.
 *
 * @param plan as it reads its history
 * @param folder where they lie; a path as text, because it travels
 * @param memoryMegabytes what each may hold in memory
 */
public record ChangeFiles(JobPlan plan, String folder, long memoryMegabytes) implements Recorder.Factory {
    private static final String PREFIX = "changes-";
    private static final String SUFFIX = ".duckdb";

    @Override
    public Recorder open(int subtask) {
        Path file = Path.of(folder, PREFIX + subtask + SUFFIX);
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(Path.of(file + ".wal"));
        } catch (IOException failure) {
            throw new EvidenceException("could not clear " + file + ": " + failure.getMessage(), failure);
        }
        return new File(plan, DuckDatabase.open(file, memoryMegabytes, 1));
    }

    /** Whether a file is one of those that the recorders have written. */
    static boolean isOne(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.startsWith(PREFIX) && name.endsWith(SUFFIX);
    }

    /** One file. All of it is one transaction, so that what is not finished is not there. */
    private static final class File implements Recorder {
        private final DuckDBConnection connection;
        private final DuckDBAppender changes;
        private final DuckDBAppender rejections;
        private final boolean identified;
        private final boolean versioned;
        private final List<FieldType> versions;
        private final List<Field> key;
        private final List<Field> row;
        private final RowLayout.Cursor keyCursor;
        private final RowLayout.Cursor rowCursor;
        private final PartitionText partitions;
        private final Hasher64 hasher = Hashing.xxh3_64();
        private final ByteBuilder scratch = new ByteBuilder();

        private File(JobPlan plan, DuckDBConnection connection) {
            this.connection = connection;
            this.identified = plan.changes().hasId();
            this.versions = plan.changes().version().stream().map(Field::type).toList();
            this.versioned = !versions.isEmpty();
            this.key = plan.target().key();
            this.row = plan.rowFields();
            this.keyCursor = new RowLayout.Cursor(RowLayout.ofFields(key));
            this.rowCursor = new RowLayout.Cursor(RowLayout.ofFields(row));
            this.partitions =
                    new PartitionText(plan.partition().grain(), plan.partition().zone());
            DuckDatabase.execute(connection, "lay out the changes", new Names(plan).changes());
            DuckDatabase.execute(connection, "lay out the rejections", """
                    create table rejections (
                        log varchar not null, split varchar not null, "offset" bigint not null, reason varchar not null)""");
            DuckDatabase.execute(connection, "lay out the logs", """
                    create table logs (
                        log varchar not null, split varchar not null, next_offset bigint not null, whole_from bigint)""");
            DuckDatabase.execute(
                    connection, "lay out the readings", "create table readings (records bigint, bytes bigint)");
            try {
                connection.setAutoCommit(false);
                this.changes = connection.createAppender("main", "changes");
                this.rejections = connection.createAppender("main", "rejections");
            } catch (SQLException failure) {
                throw DuckDatabase.failed("write down the changes", failure);
            }
        }

        @Override
        public void record(Change change) {
            try {
                changes.beginRow()
                        .append(change.log())
                        .append(change.sequence())
                        .append(change.split())
                        .append(change.offset());
                if (identified) {
                    changes.append(change.recordId().array());
                } else {
                    changes.appendNull();
                }
                boolean tombstone =
                        change.delete() && versioned && change.version().isEmpty();
                changes.append(tombstone ? "tombstone" : change.delete() ? "delete" : "upsert");
                appendTime(change.eventTime());
                appendTime(change.observedAt());
                if (change.hasEventTime()) {
                    changes.append(partitions.of(Values.instant(change.eventTime())));
                } else {
                    changes.appendNull();
                }
                if (change.delete()) {
                    changes.appendNull();
                } else {
                    changes.append(hash(change.recordId(), change.version()));
                }
                appendVersion(change.version());
                append(key, keyCursor, change.key());
                append(row, rowCursor, change.row());
                appendBits(change.row());
                changes.endRow();
            } catch (SQLException failure) {
                throw DuckDatabase.failed("write down a change", failure);
            }
        }

        private void appendTime(long micros) throws SQLException {
            if (micros == Change.UNKNOWN) {
                changes.appendNull();
            } else {
                changes.append(micros);
            }
        }

        private void appendVersion(Bytes version) throws SQLException {
            OrderedBytes.Reader reader = version.isEmpty() ? null : new OrderedBytes.Reader(version);
            for (FieldType type : versions) {
                DuckTypes.append(changes, type, reader == null ? null : reader.next(type));
            }
        }

        private void append(List<Field> fields, RowLayout.Cursor cursor, @Nullable Bytes encoded) throws SQLException {
            if (encoded != null) {
                cursor.read(encoded.array());
            }
            for (int i = 0; i < fields.size(); i++) {
                if (encoded == null) {
                    changes.appendNull();
                } else {
                    DuckTypes.append(changes, fields.get(i).type(), cursor, i);
                }
            }
        }

        /** Sums of floating-point numbers are made of their bits, because those of doubles would be rounded. */
        private void appendBits(@Nullable Bytes encoded) throws SQLException {
            for (int i = 0; i < row.size(); i++) {
                if (row.get(i).type().isFloatingPoint()) {
                    if (encoded == null || rowCursor.isNull(i)) {
                        changes.appendNull();
                    } else {
                        changes.append(rowCursor.fixed(i));
                    }
                }
            }
        }

        /** As the documents say it: XXH3-64 of the id, a zero byte, and the version in its ordered encoding. */
        private long hash(Bytes id, Bytes version) {
            scratch.clear();
            scratch.put(id.array(), 0, id.length());
            scratch.put(0);
            scratch.put(version.array(), 0, version.length());
            return scratch.hash(hasher);
        }

        @Override
        public void reject(String log, String split, long offset, String reason) {
            try {
                rejections
                        .beginRow()
                        .append(log)
                        .append(split)
                        .append(offset)
                        .append(reason)
                        .endRow();
            } catch (SQLException failure) {
                throw DuckDatabase.failed("write down a rejected change", failure);
            }
        }

        @Override
        public void finish(List<LogCut> logs, long records, long bytes) {
            try {
                changes.close();
                rejections.close();
                try (DuckDBAppender out = connection.createAppender("main", "logs")) {
                    for (LogCut log : logs) {
                        out.beginRow().append(log.log()).append(log.split()).append(log.nextOffset());
                        if (log.wholeFrom() == LogCut.UNKNOWN) {
                            out.appendNull();
                        } else {
                            out.append(log.wholeFrom());
                        }
                        out.endRow();
                    }
                }
                try (DuckDBAppender out = connection.createAppender("main", "readings")) {
                    out.beginRow().append(records).append(bytes).endRow();
                }
                connection.commit();
            } catch (SQLException failure) {
                throw DuckDatabase.failed("write down the changes", failure);
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException failure) {
                throw DuckDatabase.failed("close the changes", failure);
            }
        }
    }
}
