package dev.tidemark.generate.avro;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.apache.avro.Schema;

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

    /** The names of a schema's fields, in their order. */
    public static List<String> fields(Schema schema) {
        return schema.getFields().stream().map(Schema.Field::name).toList();
    }
}
