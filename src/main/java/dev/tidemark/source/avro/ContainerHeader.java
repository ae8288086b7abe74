package dev.tidemark.source.avro;

import dev.tidemark.change.Bytes;
import dev.tidemark.source.ContentDamage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;

/**
 * What the head of a container file says.
 *
 * @param schema the writer schema as the file has it
 * @param sync the sixteen bytes that end each block
 */
record ContainerHeader(String schema, Schema parsed, String codec, Bytes sync) {
    static final int SYNC_BYTES = 16;
    private static final byte[] MAGIC = {'O', 'b', 'j', 1};
    private static final int LARGEST_VALUE = 16 << 20;

    static ContainerHeader read(ByteInput in) throws IOException {
        for (byte expected : MAGIC) {
            if (in.atEnd() || in.next() != expected) {
                throw new ContentDamage("it does not begin as an Avro container file does");
            }
        }
        Map<String, String> words = words(in);
        Bytes sync = Bytes.of(in.fully(new byte[SYNC_BYTES], SYNC_BYTES));
        String schema = words.get("avro.schema");
        if (schema == null) {
            throw new ContentDamage("its head has no schema");
        }
        return new ContainerHeader(schema, parse(schema), words.getOrDefault("avro.codec", "null"), sync);
    }

    private static Map<String, String> words(ByteInput in) throws IOException {
        Map<String, String> words = new HashMap<>();
        for (long count = in.varint(); count != 0; count = in.varint()) {
            long entries = count;
            if (count < 0) {
                entries = -count;
                in.varint();
            }
            for (long i = 0; i < entries; i++) {
                words.put(text(in), text(in));
            }
        }
        return words;
    }

    private static String text(ByteInput in) throws IOException {
        long length = in.varint();
        if (length < 0 || length > LARGEST_VALUE) {
            throw new ContentDamage("its head has an entry of " + length + " bytes");
        }
        return new String(in.fully(new byte[(int) length], (int) length), StandardCharsets.UTF_8);
    }

    private static Schema parse(String schema) throws ContentDamage {
        try {
            return new Schema.Parser(NameValidator.NO_VALIDATION)
                    .setValidateDefaults(false)
                    .parse(schema);
        } catch (RuntimeException e) { // Avro's parser throws more than its own exceptions
            throw new ContentDamage("its schema cannot be read: " + e.getMessage());
        }
    }
}
