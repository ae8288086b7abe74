package dev.tidemark.change.avro;

import static dev.tidemark.change.avro.Fixture.field;
import static dev.tidemark.change.avro.Fixture.schema;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

/** Decoding leaves no garbage. */
class AllocationTest {
    private static final int RECORDS = 1_000_000;
    /** What the measuring itself and the compiler may take, spread over the records. */
    private static final long BYTES_A_RECORD = 4;

    @Test
    void aMillionOrderItemsTakeNextToNothing() {
        Random random = new Random(7);
        List<GenericRecord> items = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            items.add(OrderItems.random(random));
        }
        assertThat(bytesARecord(OrderItems.reading(), OrderItems.SCHEMA, items)).isLessThan(BYTES_A_RECORD);
    }

    @Test
    void whatIsNestedDefaultedOrPassedOverTakesNoMore() {
        Schema writer = schema(
                field("list", "{\"type\":\"array\",\"items\":{\"type\":\"map\",\"values\":\"string\"}}"),
                field("text", "\"string\""),
                field(
                        "inner",
                        "[\"null\",{\"type\":\"record\",\"name\":\"I\",\"fields\":["
                                + field("skipped", "[\"null\",\"bytes\"]") + ","
                                + field("uuid", Fixture.logical("string", "uuid")) + ","
                                + field("f", "[\"null\",\"float\",\"int\"]") + "]}]"));
        Schema reader = schema(
                field("added", "\"string\"", "\"default\""),
                field(
                        "inner",
                        "[\"null\",{\"type\":\"record\",\"name\":\"I\",\"fields\":["
                                + field("uuid", Fixture.logical("string", "uuid")) + ","
                                + field("f", "[\"null\",\"double\"]") + "]}]"));
        SchemaPairs pairs = new SchemaPairs(new Random(8));
        List<GenericRecord> records = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            records.add((GenericRecord) pairs.datum(writer));
        }
        assertThat(bytesARecord(Fixture.row(reader), reader, records)).isLessThan(BYTES_A_RECORD);
    }

    private static long bytesARecord(Reading reading, Schema reader, List<GenericRecord> records) {
        RecordDecoder decoder = new AvroRecordDecoder(reading, reader.toString());
        String writer = records.get(0).getSchema().toString();
        List<RawRecord> raws = records.stream()
                .map(record -> Fixture.raw(Fixture.encoded(record), writer))
                .toList();
        Draft draft = new Draft(reading.fields().size());
        decodeAll(decoder, raws, draft, RECORDS / 20);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        decodeAll(decoder, raws, draft, RECORDS);
        return (threads.getCurrentThreadAllocatedBytes() - before) / RECORDS;
    }

    private static void decodeAll(RecordDecoder decoder, List<RawRecord> raws, Draft draft, int count) {
        for (int i = 0; i < count; i++) {
            draft.clear();
            decoder.decode(raws.get(i % raws.size()), draft);
            if (draft.rejection() != null) {
                throw new AssertionError(draft.error());
            }
        }
    }
}
