package dev.tidemark.generate.avro;

import dev.tidemark.generate.DayFiles;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumWriter;

/** Avro container files of a schema. The sync marker comes from the schema and the file's name, not from chance. */
public final class AvroContainerForm implements DayFiles.Form {
    private static final int BLOCK_BYTES = 1 << 16;

    private final Schema schema;

    public AvroContainerForm(Schema schema) {
        this.schema = schema;
    }

    @Override
    public String ending() {
        return ".avro";
    }

    @Override
    public DayFiles.Appender create(Path file, String name) throws IOException {
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BLOCK_BYTES);
        DataFileWriter<Object> writer = new DataFileWriter<>(new GenericDatumWriter<>(schema));
        writer.setSyncInterval(BLOCK_BYTES);
        writer.create(schema, out, marker(name));
        return new Container(writer);
    }

    private byte[] marker(String name) {
        try {
            return MessageDigest.getInstance("MD5").digest((schema + name).getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }

    private record Container(DataFileWriter<Object> writer) implements DayFiles.Appender {
        @Override
        public void append(byte[] record) throws IOException {
            writer.appendEncoded(ByteBuffer.wrap(record));
        }

        @Override
        public void close() throws IOException {
            writer.close();
        }
    }
}
