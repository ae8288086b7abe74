package dev.tidemark.generate;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Encodes records and passes them on. */
public final class EncodedRecords implements RecordWriter {
    private final RecordEncoding encoding;
    private final RecordSink sink;
    private long key;
    private long arrivedAt = Long.MIN_VALUE;

    public EncodedRecords(RecordEncoding encoding, RecordSink sink) {
        this.encoding = encoding;
        this.sink = sink;
    }

    @Override
    public void begin(long key, long arrivedAt) throws IOException {
        if (arrivedAt < this.arrivedAt) {
            throw new IllegalStateException(
                    "a record that arrived at " + arrivedAt + " microseconds comes after one of " + this.arrivedAt
                            + "; generated records go in the order of their arrival");
        }
        this.key = key;
        this.arrivedAt = arrivedAt;
        encoding.begin();
    }

    @Override
    public void integer(int value) throws IOException {
        encoding.integer(value);
    }

    @Override
    public void number(long value) throws IOException {
        encoding.number(value);
    }

    @Override
    public void text(String value) throws IOException {
        encoding.text(value);
    }

    @Override
    public void textOrNull(@Nullable String value) throws IOException {
        encoding.textOrNull(value);
    }

    @Override
    public void decimal(long hundredths) throws IOException {
        encoding.decimal(hundredths);
    }

    @Override
    public void timestamp(long micros) throws IOException {
        encoding.timestamp(micros);
    }

    @Override
    public void end() throws IOException {
        sink.accept(key, arrivedAt, encoding.end());
    }

    @Override
    public void close() throws IOException {
        sink.close();
    }
}
