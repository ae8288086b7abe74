package dev.tidemark.it;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A record of the jobs of {@link dev.tidemark.kit.Plans}: of product A, unless said otherwise. */
final class OrderLine {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, @Nullable Object> fields;

    private OrderLine(Map<String, @Nullable Object> fields) {
        this.fields = fields;
    }

    static OrderLine upsert(String id, long version) {
        return new OrderLine(new LinkedHashMap<>())
                .with("id", id)
                .with("v", version)
                .with("product", "A");
    }

    static OrderLine delete(String id, long version) {
        return new OrderLine(new LinkedHashMap<>())
                .with("id", id)
                .with("v", version)
                .with("gone", true);
    }

    OrderLine at(String event) {
        return with("at", event);
    }

    OrderLine seen(String observed) {
        return with("seen", observed);
    }

    /** The moment when it was seen. */
    Instant seen() {
        return Instant.parse(String.valueOf(fields.get("seen")));
    }

    /** The event and the moment when it was seen, both at once. */
    OrderLine atOnce(String time) {
        return at(time).seen(time);
    }

    OrderLine product(String product) {
        return with("product", product);
    }

    OrderLine quantity(long quantity) {
        return with("quantity", quantity);
    }

    OrderLine with(String field, @Nullable Object value) {
        Map<String, @Nullable Object> more = new LinkedHashMap<>(fields);
        more.put(field, value);
        return new OrderLine(more);
    }

    String json() {
        try {
            return JSON.writeValueAsString(fields);
        } catch (JsonProcessingException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
