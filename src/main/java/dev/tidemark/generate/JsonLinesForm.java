package dev.tidemark.generate;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A record a line. */
public final class JsonLinesForm implements DayFiles.Form {
    @Override
    public String ending() {
        return ".jsonl";
    }

    @Override
    public DayFiles.Appender create(Path file, String name) throws IOException {
        return new Lines(new BufferedOutputStream(Files.newOutputStream(file), 1 << 16));
    }

    private record Lines(OutputStream out) implements DayFiles.Appender {
        @Override
        public void append(byte[] record) throws IOException {
            out.write(record);
            out.write('\n');
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
