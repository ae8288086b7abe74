package dev.tidemark.change.avro;

import dev.tidemark.change.Reading;
import dev.tidemark.job.Field;
import dev.tidemark.job.FieldType;
import dev.tidemark.job.FieldType.Kind;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/** Order items as a shop writes them. */
public final class OrderItems {
    public static final String SCHEMA_TEXT = """
            {"type": "record", "name": "OrderItem", "fields": [
              {"name": "order_id", "type": "long"},
              {"name": "line_number", "type": "int"},
              {"name": "product_id", "type": "string"},
              {"name": "quantity", "type": "int"},
              {"name": "unit_price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
              {"name": "status", "type": {"type": "enum", "name": "Status", "symbols": ["new", "paid", "returned"]}},
              {"name": "ordered_at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
              {"name": "updated_at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
              {"name": "ingested_at", "type": {"type": "long", "logicalType": "timestamp-micros"}}
            ]}""";
    public static final Schema SCHEMA = new Schema.Parser().parse(SCHEMA_TEXT);

    private OrderItems() {}

    /** All nine fields, in the order of the schema. */
    public static Reading reading() {
        List<Field> fields = List.of(
                new Field("order_id", FieldType.of(Kind.LONG)),
                new Field("line_number", FieldType.of(Kind.INT)),
                new Field("product_id", FieldType.of(Kind.STRING)),
                new Field("quantity", FieldType.of(Kind.INT)),
                new Field("unit_price", FieldType.decimal(12, 2)),
                new Field("status", FieldType.of(Kind.STRING)),
                new Field("ordered_at", FieldType.of(Kind.TIMESTAMP)),
                new Field("updated_at", FieldType.of(Kind.TIMESTAMP)),
                new Field("ingested_at", FieldType.of(Kind.TIMESTAMP)));
        return new Reading(
                fields,
                fields.size(),
                List.of(),
                List.of(0, 1),
                List.of(7),
                List.of(2),
                List.of(3, 4, 5),
                6,
                8,
                -1,
                -1);
    }

    public static GenericRecord random(Random random) {
        GenericRecord item = new GenericData.Record(SCHEMA);
        long orderedAt = 1_770_000_000_000_000L + random.nextInt(1_000_000_000) * 1000L;
        item.put("order_id", 1_000_000L + random.nextInt(2_000_000));
        item.put("line_number", 1 + random.nextInt(5));
        item.put("product_id", "P-" + (10_000 + random.nextInt(5000)));
        item.put("quantity", 1 + random.nextInt(9));
        item.put(
                "unit_price",
                ByteBuffer.wrap(
                        BigInteger.valueOf(100 + random.nextInt(100_000)).toByteArray()));
        item.put(
                "status",
                new GenericData.EnumSymbol(
                        SCHEMA.getField("status").schema(),
                        List.of("new", "paid", "returned").get(random.nextInt(3))));
        item.put("ordered_at", orderedAt);
        item.put("updated_at", orderedAt + random.nextInt(1_000_000_000));
        item.put("ingested_at", orderedAt + 1_000_000_000L);
        return item;
    }

    /** The same item in the JSON form. */
    public static String json(GenericRecord item) {
        byte[] price = new byte[((ByteBuffer) item.get("unit_price")).remaining()];
        ((ByteBuffer) item.get("unit_price")).duplicate().get(price);
        BigDecimal unitPrice = new BigDecimal(new BigInteger(price), 2);
        return "{\"order_id\":" + item.get("order_id") + ",\"line_number\":" + item.get("line_number")
                + ",\"product_id\":\"" + item.get("product_id") + "\",\"quantity\":" + item.get("quantity")
                + ",\"unit_price\":" + unitPrice + ",\"status\":\"" + item.get("status") + "\",\"ordered_at\":"
                + item.get("ordered_at") + ",\"updated_at\":" + item.get("updated_at") + ",\"ingested_at\":"
                + item.get("ingested_at") + "}";
    }
}
