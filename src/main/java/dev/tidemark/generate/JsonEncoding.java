package dev.tidemark.generate;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records as JSON objects: times as ISO-8601 in UTC, decimals as numbers. */
public final class JsonEncoding implements RecordEncoding {
    private final List<String> names;
    private final StringBuilder text = new StringBuilder();
    private int field;

    /** Objects with members of these names, in their order. */
    public JsonEncoding(List<String> names) {
        this.names = List.copyOf(names);
    }

    @Override
    public void begin() {
        text.setLength(0);
        field = 0;
    }

    @Override
    public void integer(int value) {
        name().append(value);
    }

    @Override
    public void number(long value) {
        name().append(value);
    }

    /** Texts of the stories have nothing in them that JSON would have escaped. */
    @Override
    public void text(String value) {
        name().append('"').append(value).append('"');
    }

    @Override
    public void textOrNull(@Nullable String value) {
        if (value == null) {
            name().append("null");
        } else {
            text(value);
        }
    }

    @Override
    public void decimal(long hundredths) {
        long rest = hundredths % 100;
        name().append(hundredths / 100)
                .append('.')
                .append((char) ('0' + rest / 10))
                .append((char) ('0' + rest % 10));
    }

    @Override
    public void timestamp(long micros) {
        Instant instant =
                Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
        name().append('"').append(instant).append('"');
    }

    @Override
    public byte[] end() {
        return text.append('}').toString().getBytes(StandardCharsets.UTF_8);
    }

    private StringBuilder name() {
        return text.append(field == 0 ? "{\"" : ", \"")
                .append(names.get(field++))
                .append("\": ");
    }
}
