package dev.tidemark.source.kafka;

import dev.tidemark.change.RawRecord;
import dev.tidemark.job.KafkaPlan;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Takes off what stands before a value, and finds the schema that it was written with. Not thread-safe. */
interface ValueFraming {

    /**
     * Sets the record's bytes, writer schema and damage.
     *
     * @throws IOException if it cannot be told now which schema it is: nothing is wrong with the record then
     */
    void frame(byte[] value, RawRecord into) throws IOException;

    /** Whether bytes begin as framed ones do. */
    boolean isFramed(byte[] value);

    /** The framing of a topic. */
    static ValueFraming of(KafkaPlan plan) {
        KafkaPlan.Framing framing = plan.framing();
        if (framing == null) {
            return new Bare(null);
        }
        return switch (framing) {
            case RAW -> new Bare(plan.writerSchema());
            case SINGLE_OBJECT -> new SingleObjectFraming(plan.schemas());
            case CONFLUENT -> {
                String registry = plan.registry();
                yield new ConfluentFraming(
                        registry == null ? plan.schemas()::get : new SchemaRegistry(registry, SchemaRegistry.PATIENCE));
            }
        };
    }

    /** The value as it stands in the record. */
    static void whole(byte[] value, RawRecord into) {
        into.bytes = value;
        into.start = 0;
        into.length = value.length;
        into.wholeLength = value.length;
        into.writerSchema = null;
        into.damage = null;
    }

    /** No framing: one schema for all, or none. */
    record Bare(@Nullable String writerSchema) implements ValueFraming {
        @Override
        public void frame(byte[] value, RawRecord into) {
            whole(value, into);
            into.writerSchema = writerSchema;
        }

        @Override
        public boolean isFramed(byte[] value) {
            return false;
        }
    }
}
