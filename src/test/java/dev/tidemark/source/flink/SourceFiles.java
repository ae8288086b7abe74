package dev.tidemark.source.flink;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.RawRecord;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan.Format;
import dev.tidemark.job.JobPlan.Logs;
import dev.tidemark.job.JobPlan.SourcePlan;
import dev.tidemark.source.ContentInMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.ZoneId;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.flink.api.common.functions.FilterFunction;

/** Writes files for sources to read. */
public final class SourceFiles {
    static final Calendar DAYS = new Calendar(Grain.DAY, ZoneId.of("UTC"));

    private SourceFiles() {}

    /** Leaves out what the source says of its logs. */
    static final class OnlyRecords implements FilterFunction<RawRecord> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean filter(RawRecord record) {
            return record.kind == RawRecord.Kind.RECORD;
        }
    }

    public static SourcePlan bounded(Path path, Format format) {
        return new SourcePlan("{}", format, path.toString(), 0, Logs.SOURCE, 60_000);
    }

    public static SourcePlan watched(Path path, Format format, long watchMillis) {
        return new SourcePlan("{}", format, path.toString(), watchMillis, Logs.SOURCE, 60_000);
    }

    public static SourcePlan folders(Path path, long watchMillis) {
        return new SourcePlan("{}", Format.JSON, path.toString(), watchMillis, Logs.FOLDER, 60_000);
    }

    /** Puts a file into its place by a rename. */
    public static void put(Path file, byte[] content) {
        try {
            Files.createDirectories(file.getParent());
            Path half = file.resolveSibling(file.getFileName() + ".tmp");
            Files.write(half, content);
            Files.move(half, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void put(Path file, String content) {
        put(file, content.getBytes(StandardCharsets.UTF_8));
    }

    public static void putGzip(Path file, String content) {
        put(file, ContentInMemory.compressed(content.getBytes(StandardCharsets.UTF_8)));
    }

    /** A container with blocks of so many records. */
    public static byte[] container(
            Schema schema, String codec, int recordsABlock, List<? extends GenericRecord> records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            writer.setCodec(CodecFactory.fromString(codec));
            writer.create(schema, out);
            int inBlock = 0;
            for (GenericRecord record : records) {
                writer.append(record);
                if (++inBlock == recordsABlock) {
                    writer.sync();
                    inBlock = 0;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
