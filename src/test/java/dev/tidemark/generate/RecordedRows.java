package dev.tidemark.generate;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what a story writes. */
final class RecordedRows implements RecordWriter {
    private final List<Row> rows = new ArrayList<>();
    private List<Object> values = List.of();
    private long key;
    private long arrivedAt;

    /** A record with its fields in order: Integer, Long and String. */
    record Row(long key, long arrivedAt, List<Object> values) {
        long number(int field) {
            return ((Number) values.get(field)).longValue();
        }

        String text(int field) {
            return (String) values.get(field);
        }
    }

    List<Row> rows() {
        return rows;
    }

    @Override
    public void begin(long key, long arrivedAt) {
        this.key = key;
        this.arrivedAt = arrivedAt;
        values = new ArrayList<>();
    }

    @Override
    public void integer(int value) {
        values.add(value);
    }

    @Override
    public void number(long value) {
        values.add(value);
    }

    @Override
    public void text(String value) {
        values.add(value);
    }

    @Override
    public void textOrNull(@Nullable String value) {
        values.add(value == null ? "" : value);
    }

    @Override
    public void decimal(long hundredths) {
        values.add(hundredths);
    }

    @Override
    public void timestamp(long micros) {
        values.add(micros);
    }

    @Override
    public void end() {
        rows.add(new Row(key, arrivedAt, List.copyOf(values)));
    }

    @Override
    public void close() {}
}
