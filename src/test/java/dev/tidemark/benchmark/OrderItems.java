package dev.tidemark.benchmark;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;

/**
 * Writes order-item changes as Avro containers, in the order of their ingestion: a line when it is ordered; one in ten
 * corrected once within two days (one in a hundred of these later, up to ten days: late); one in a hundred withdrawn; one
 * in two hundred delivered twice. Seeded: the same arguments give the same bytes but for Avro's sync markers.
 */
public final class OrderItems {
    static final String FILE = "order-items.avro";

    private static final long DAY_MICROS = 86_400_000_000L;
    private static final long START = Instant.parse("2026-03-01T05:00:00Z").getEpochSecond() * 1_000_000L;
    private static final int PRODUCTS = 6_000;

    private record Item(
            long order,
            int line,
            int product,
            int quantity,
            long cents,
            String op,
            long ordered,
            long updated,
            long ingested) {}

    private final Random random;
    private final PriorityQueue<Item> pending = new PriorityQueue<>(Comparator.comparingLong(Item::ingested));
    private final DataFileWriter<GenericRecord> out;
    private final GenericRecord record;
    private long written;

    private OrderItems(long seed, Schema schema, Path file) throws IOException {
        random = new Random(seed);
        out = new DataFileWriter<>(new GenericDatumWriter<>(schema));
        out.setCodec(CodecFactory.nullCodec());
        out.setSyncInterval(1 << 16);
        out.create(schema, file.toFile());
        record = new GenericData.Record(schema);
    }

    /** Arguments: folder, changes (about), days, seed, file of the schema. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        long changes = Long.parseLong(arguments[1]);
        int days = Integer.parseInt(arguments[2]);
        long seed = Long.parseLong(arguments[3]);
        Path schema = Path.of(arguments[4]);
        Files.createDirectories(folder);
        Path file = folder.resolve(FILE);
        Path temporary = folder.resolve(FILE + ".tmp");
        long written = write(temporary, new Schema.Parser().parse(Files.readString(schema)), changes, days, seed);
        Files.move(temporary, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        System.out.printf("wrote %,d changes, %,d bytes to %s%n", written, Files.size(file), file);
    }

    private static long write(Path file, Schema schema, long changes, int days, long seed) throws IOException {
        OrderItems items = new OrderItems(seed, schema, file);
        long lines = Math.round(changes / 1.115);
        double gap = (double) days * DAY_MICROS / lines;
        long order = 1;
        int line = 0;
        for (long i = 0; i < lines; i++) {
            if (line > items.random.nextInt(4)) {
                order++;
                line = 0;
            }
            line++;
            items.order(order, line, START + (long) (i * gap));
        }
        items.flush(Long.MAX_VALUE);
        items.out.close();
        return items.written;
    }

    private void order(long order, int line, long at) throws IOException {
        flush(at);
        long lag = 200_000L + random.nextInt(600_000);
        Item item = new Item(
                order,
                line,
                (int) (PRODUCTS * random.nextDouble() * random.nextDouble()),
                1 + random.nextInt(5),
                100 + random.nextInt(20_000),
                "c",
                at,
                at,
                at + lag);
        pending.add(item);
        int fate = random.nextInt(1000);
        if (fate < 100) {
            long delay = fate == 0 ? random.nextLong(10 * DAY_MICROS) : random.nextLong(2 * DAY_MICROS);
            pending.add(changed(item, "u", 1 + random.nextInt(5), delay));
        } else if (fate < 110) {
            pending.add(changed(item, "d", item.quantity(), random.nextLong(DAY_MICROS)));
        } else if (fate < 115) {
            pending.add(new Item(
                    order,
                    line,
                    item.product(),
                    item.quantity(),
                    item.cents(),
                    "c",
                    at,
                    at,
                    item.ingested() + random.nextLong(60_000_000L)));
        }
    }

    private static Item changed(Item item, String op, int quantity, long delay) {
        long at = item.ingested() + delay;
        return new Item(
                item.order(),
                item.line(),
                item.product(),
                quantity,
                item.cents(),
                op,
                item.ordered(),
                at,
                at + 400_000L);
    }

    private void flush(long until) throws IOException {
        for (Item item = pending.peek(); item != null && item.ingested() <= until; item = pending.peek()) {
            pending.remove();
            record.put("order_id", item.order());
            record.put("line_number", item.line());
            record.put("product_id", "P" + (100_000 + item.product()));
            record.put("quantity", item.quantity());
            record.put(
                    "unit_price",
                    ByteBuffer.wrap(BigInteger.valueOf(item.cents()).toByteArray()));
            record.put("op", item.op());
            record.put("ordered_at", item.ordered());
            record.put("updated_at", item.updated());
            record.put("ingested_at", item.ingested());
            out.append(record);
            written++;
        }
    }
}
