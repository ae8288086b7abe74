package dev.tidemark.evidence.jdbc;

import dev.tidemark.job.FieldType;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A value of the target, as {@link dev.tidemark.change.Values} has it.
 *
 * @param unreadable the text of one that its type does not have here, such as an infinite date; then {@code value} is null
 */
record TargetValue(@Nullable Object value, @Nullable String unreadable) {
    private static final TargetValue NULL = new TargetValue(null, null);
    private static final int GREATEST_YEAR = 9999;

    static TargetValue read(ResultSet row, int column, FieldType type) throws SQLException {
        return switch (type.kind()) {
            case BOOLEAN -> of(row, row.getBoolean(column));
            case INT -> of(row, row.getInt(column));
            case LONG -> of(row, row.getLong(column));
            case FLOAT -> of(row, row.getFloat(column));
            case DOUBLE -> of(row, row.getDouble(column));
            case DECIMAL -> decimal(row, column);
            case STRING -> of(row, row.getString(column));
            case BYTES -> of(row, row.getBytes(column));
            case UUID -> of(row, row.getObject(column, UUID.class));
            case TIME -> of(row, row.getObject(column, LocalTime.class));
            case DATE -> {
                LocalDate date = row.getObject(column, LocalDate.class);
                yield date != null && isBeyond(date.getYear()) ? unreadable(row, column) : of(row, date);
            }
            case TIMESTAMP -> {
                OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
                yield time != null && isBeyond(time.getYear())
                        ? unreadable(row, column)
                        : of(row, time == null ? null : time.toInstant());
            }
            case LOCAL_TIMESTAMP -> {
                LocalDateTime time = row.getObject(column, LocalDateTime.class);
                yield time != null && isBeyond(time.getYear()) ? unreadable(row, column) : of(row, time);
            }
        };
    }

    /** NaN is a numeric in PostgreSQL, and none in Java. */
    private static TargetValue decimal(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        if (text == null) {
            return NULL;
        }
        char first = text.charAt(text.length() - 1);
        return first >= '0' && first <= '9' ? new TargetValue(new BigDecimal(text), null) : new TargetValue(null, text);
    }

    private static TargetValue of(ResultSet row, @Nullable Object value) throws SQLException {
        return value == null || row.wasNull() ? NULL : new TargetValue(value, null);
    }

    private static TargetValue unreadable(ResultSet row, int column) throws SQLException {
        return new TargetValue(null, row.getString(column));
    }

    private static boolean isBeyond(int year) {
        return year < 1 || year > GREATEST_YEAR;
    }
}
