package dev.tidemark.generate.avro;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/** The schemas of the example data: those of the folder {@code schemas}, of which the jar has a copy. */
public final class ExampleSchemas {
    private ExampleSchemas() {}

    /** A schema by its name, for instance {@code order-line}. */
    public static Schema named(String name) throws IOException {
        String resource = "/schemas/" + name + ".avsc";
        try (InputStream in = ExampleSchemas.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + resource);
            }
            return new Schema.Parser().parse(in);
        }
    }

    /** What stands before a value of a schema in Avro's single-object encoding. */
    public static byte[] singleObjectHeader(Schema schema) {
        long fingerprint = SchemaNormalization.parsingFingerprint64(schema);
        return ByteBuffer.allocate(2 + Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0xC3)
                .put((byte) 0x01)
                .putLong(fingerprint)
                .array();
    }

    /** The names of a schema's fields, in their order. */
    public static List<String> fields(Schema schema) {
        return schema.getFields().stream().map(Schema.Field::name).toList();
    }
}
