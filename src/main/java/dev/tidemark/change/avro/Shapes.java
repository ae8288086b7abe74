package dev.tidemark.change.avro;

import dev.tidemark.change.DatumShape;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;

/** Avro schemas as shapes: what decoding passes over, and what framing counts. */
public final class Shapes {
    private final Map<String, DatumShape> records = new HashMap<>();

    private Shapes() {}

    /** The shape of a schema's data. */
    public static DatumShape of(Schema schema) {
        return new Shapes().shape(schema);
    }

    private DatumShape shape(Schema schema) {
        return switch (schema.getType()) {
            case NULL -> DatumShape.nothing();
            case BOOLEAN -> DatumShape.bool();
            case INT, LONG, ENUM -> DatumShape.varint();
            case FLOAT -> DatumShape.fixed(Float.BYTES);
            case DOUBLE -> DatumShape.fixed(Double.BYTES);
            case FIXED -> DatumShape.fixed(schema.getFixedSize());
            case STRING, BYTES -> DatumShape.bytes();
            case ARRAY -> DatumShape.array(shape(schema.getElementType()));
            case MAP -> DatumShape.map(shape(schema.getValueType()));
            case UNION ->
                DatumShape.union(schema.getTypes().stream().map(this::shape).toList());
            case RECORD -> record(schema);
        };
    }

    private DatumShape record(Schema schema) {
        DatumShape known = records.get(schema.getFullName());
        if (known != null) {
            return known;
        }
        DatumShape shape = DatumShape.record();
        records.put(schema.getFullName(), shape);
        return shape.fields(
                schema.getFields().stream().map(field -> shape(field.schema())).toList());
    }
}
