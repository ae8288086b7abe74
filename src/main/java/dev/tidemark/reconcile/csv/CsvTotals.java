package dev.tidemark.reconcile.csv;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.csv.CsvFactory;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import dev.tidemark.reconcile.ControlException;
import dev.tidemark.reconcile.ControlTotals;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A file: UTF-8, commas, double quotes around what holds any of them, the names in its first line. Empty lines are passed over. */
public final class CsvTotals implements ControlTotals {
    private final Path file;
    private final CsvParser parser;
    private final List<String> header;

    /** @throws ControlException if it cannot be read, or is empty */
    public CsvTotals(Path file) {
        this.file = file;
        try {
            this.parser = parser(file);
        } catch (IOException failure) {
            throw unreadable(failure);
        }
        try {
            Line first = next();
            if (first == null) {
                throw ControlException.of(origin(), List.of("the file is empty; its first line must name the columns"));
            }
            List<String> names = new ArrayList<>();
            first.values().forEach(name -> names.add(name == null ? "" : name));
            this.header = List.copyOf(names);
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    private static CsvParser parser(Path file) throws IOException {
        InputStream bytes = Files.newInputStream(file);
        try {
            return CsvFactory.builder()
                    .enable(CsvParser.Feature.TRIM_SPACES)
                    .enable(CsvParser.Feature.SKIP_EMPTY_LINES)
                    .build()
                    .createParser(bytes);
        } catch (IOException failure) {
            bytes.close();
            throw failure;
        }
    }

    @Override
    public String origin() {
        return file.toString();
    }

    @Override
    public String lineWord() {
        return "line";
    }

    @Override
    public List<String> header() {
        return header;
    }

    @Override
    public void read(Consumer<Line> lines) {
        for (Line line = next(); line != null; line = next()) {
            lines.accept(line);
        }
    }

    @Override
    public void close() {
        try {
            parser.close();
        } catch (IOException e) {
            // It was only read.
        }
    }

    private @Nullable Line next() {
        try {
            JsonToken token = parser.nextToken();
            while (token != null && token != JsonToken.START_ARRAY) {
                token = parser.nextToken();
            }
            if (token == null) {
                return null;
            }
            List<@Nullable String> values = new ArrayList<>();
            long number = 0;
            for (token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
                number = number == 0 ? parser.currentTokenLocation().getLineNr() : number;
                values.add(token == JsonToken.VALUE_NULL ? null : parser.getText());
            }
            return new Line(number, values);
        } catch (JsonProcessingException wrong) {
            throw ControlException.of(
                    origin(),
                    List.of("line " + wrong.getLocation().getLineNr() + ": is no CSV: " + wrong.getOriginalMessage()));
        } catch (IOException failure) {
            throw unreadable(failure);
        }
    }

    private ControlException unreadable(IOException failure) {
        return new ControlException(
                "the control totals cannot be read from " + file + ": " + failure
                        + "; name a file that is there and may be read",
                failure);
    }
}
