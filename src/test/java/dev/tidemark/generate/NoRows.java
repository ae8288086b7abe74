package dev.tidemark.generate;

import org.jspecify.annotations.Nullable;

/** Takes records and keeps none. */
final class NoRows implements RecordWriter {
    @Override
    public void begin(long key, long arrivedAt) {}

    @Override
    public void integer(int value) {}

    @Override
    public void number(long value) {}

    @Override
    public void text(String value) {}

    @Override
    public void textOrNull(@Nullable String value) {}

    @Override
    public void decimal(long hundredths) {}

    @Override
    public void timestamp(long micros) {}

    @Override
    public void end() {}

    @Override
    public void close() {}
}
