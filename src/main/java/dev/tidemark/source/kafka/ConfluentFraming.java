package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The framing of Confluent's serializers: a zero byte, then the schema's id in big-endian order. */
final class ConfluentFraming implements ValueFraming {
    private static final int HEADER = 5;

    private final Lookup schemas;

    ConfluentFraming(Lookup schemas) {
        this.schemas = schemas;
    }

    /** Knows schemas by id. */
    @FunctionalInterface
    interface Lookup {
        /**
         * The schema as JSON, the same instance each time; null: there is none of that id, and never was.
         *
         * @throws IOException if it cannot be told now
         */
        @Nullable
        String schema(Long id) throws IOException;
    }

    @Override
    public void frame(byte[] value, RawRecord into) throws IOException {
        ValueFraming.whole(value, into);
        if (!isFramed(value)) {
            into.damage = "the value does not begin with a zero byte and a schema id of 4 bytes";
            return;
        }
        long id = 0;
        for (int i = 1; i < HEADER; i++) {
            id = id << 8 | (value[i] & 0xff);
        }
        String schema = schemas.schema(id);
        if (schema == null) {
            into.damage = "no Avro schema has the id " + id;
            return;
        }
        into.writerSchema = schema;
        into.start = HEADER;
        into.length = value.length - HEADER;
    }

    @Override
    public boolean isFramed(byte[] value) {
        return value.length >= HEADER && value[0] == 0;
    }
}
