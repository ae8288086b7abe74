package dev.tidemark.source.flink;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.avro.AvroRecordDecoder;
import dev.tidemark.change.avro.JsonRecordDecoder;
import dev.tidemark.change.avro.OrderItems;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.util.clock.SystemClock;

/** Prints how many records a second one thread frames and decodes. Run it by hand. */
public final class ReadingSpeed {
    private static final int RECORDS = 2_000_000;

    private ReadingSpeed() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createTempDirectory("reading-speed");
        for (String codec : new String[] {"null", "snappy", "deflate"}) {
            Path file = folder.resolve(codec + ".avro");
            writeAvro(file, codec);
            time(file, Format.AVRO, new AvroRecordDecoder(OrderItems.reading(), OrderItems.SCHEMA_TEXT));
            Files.delete(file);
        }
        Path file = folder.resolve("items.json");
        writeJson(file);
        time(file, Format.JSON, new JsonRecordDecoder(OrderItems.reading(), OrderItems.SCHEMA_TEXT));
        Files.delete(file);
        Files.delete(folder);
    }

    private static void time(Path file, Format format, RecordDecoder decoder) throws IOException {
        SourcePlan plan = new SourcePlan(OrderItems.SCHEMA_TEXT, format, file.toString(), 0, Logs.SOURCE, 60_000);
        SourceFolder folder = new SourceFolder(plan.path(), plan.logs());
        for (int round = 0; round < 4; round++) {
            RawRecord record = new RawRecord();
            Draft draft = new Draft(9);
            long sum = 0;
            long count = 0;
            long start = System.nanoTime();
            try (LogReader reader =
                    new LogReader(LogSplit.unread(""), plan, folder, (log, path) -> {}, SystemClock.getInstance())) {
                while (reader.next(record)) {
                    draft.clear();
                    decoder.decode(record, draft);
                    if (draft.rejection() != null) {
                        throw new IllegalStateException(draft.error());
                    }
                    sum += draft.fixed(3) + draft.fixed(4);
                    count++;
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%-12s %,d records, %.2f M records/s (%d)%n",
                    file.getFileName(),
                    count,
                    count / seconds / 1e6,
                    sum);
        }
    }

    private static void writeAvro(Path file, String codec) throws IOException {
        Random random = new Random(1);
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(OrderItems.SCHEMA))) {
            writer.setCodec(CodecFactory.fromString(codec));
            writer.create(OrderItems.SCHEMA, file.toFile());
            for (int i = 0; i < RECORDS; i++) {
                writer.append(OrderItems.random(random));
            }
        }
    }

    private static void writeJson(Path file) throws IOException {
        Random random = new Random(1);
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < RECORDS; i++) {
                out.write(OrderItems.json(OrderItems.random(random)).getBytes(StandardCharsets.UTF_8));
                out.write('\n');
            }
        }
    }
}
