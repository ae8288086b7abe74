package dev.tidemark.source.jdbc;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.source.NameOrder;
import dev.tidemark.source.SourceException;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.apache.flink.connector.jdbc.core.datastream.source.reader.extractor.ResultExtractor;
import org.jspecify.annotations.Nullable;

/** Makes raw records of rows: a JSON object, and where the row stood in the source if columns say so. */
final class RowExtractor implements ResultExtractor<RawRecord> {
    private static final long serialVersionUID = 1L;
    private static final int ORDINAL_BITS = 40;
    /** The log of rows without positions. */
    private static final String LOG = "rows";

    private final String name;
    private final Positions positions;
    private int range = -1;
    private long ordinal;

    /**
     * What the columns with a row's position mean.
     *
     * @param topic the live source's; null: it reads files
     * @param logs of files
     * @param splits the files in name order; empty for a topic
     */
    record Positions(boolean areThere, @Nullable String topic, Logs logs, List<String> splits)
            implements java.io.Serializable {
        /** Rows have none. */
        static final Positions NONE = new Positions(false, null, Logs.SOURCE, List.of());
    }

    /** @param name of the rows, for what is said of them */
    RowExtractor(String name, Positions positions) {
        this.name = name;
        this.positions = positions;
    }

    /** The number of the range, the object, and with positions split, offset and timestamp. */
    @Override
    public RawRecord extract(ResultSet row) throws SQLException {
        RawRecord record = new RawRecord();
        record.bytes = row.getString(2).getBytes(StandardCharsets.UTF_8);
        record.length = record.bytes.length;
        record.wholeLength = record.length;
        int of = row.getInt(1);
        if (of != range) {
            range = of;
            ordinal = 0;
        }
        if (positions.areThere()) {
            position(row, record);
        } else {
            record.log = LOG;
            record.split = LOG + "/" + range;
            record.offset = ordinal;
            record.sequence = ((long) range << ORDINAL_BITS) + ordinal;
        }
        ordinal++;
        return record;
    }

    private void position(ResultSet row, RawRecord record) throws SQLException {
        String split = row.getString(3);
        long offset = row.getLong(4);
        if (split == null || row.wasNull()) {
            throw new SourceException("a row of the history (" + name
                    + ") has no position: a column that history.jdbc.position names is null. Leave such rows out with a"
                    + " query, or leave position out");
        }
        String topic = positions.topic();
        record.split = topic != null && isNumber(split) ? topic + "-" + split : split;
        record.offset = offset;
        long timestamp = row.getLong(5);
        if (!row.wasNull()) {
            record.timestamp = timestamp;
        }
        if (topic != null) {
            record.log = record.split;
            record.sequence = offset;
            return;
        }
        int slash = split.indexOf('/');
        record.log = positions.logs() == Logs.SOURCE || slash < 0 ? "" : split.substring(0, slash);
        int number = Collections.binarySearch(positions.splits(), split, NameOrder.INSTANCE);
        record.sequence = ((long) Math.max(number, 0) << ORDINAL_BITS) + offset;
    }

    private static boolean isNumber(String split) {
        return !split.isEmpty() && split.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
