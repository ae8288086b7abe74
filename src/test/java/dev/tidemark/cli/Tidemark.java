package dev.tidemark.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The program at its real entry point, with a job in a folder of its own. */
final class Tidemark {
    /** What time it is for the commands. */
    static final Instant NOW = Instant.parse("2024-03-13T08:00:00Z");

    static final String SCHEMA = """
            {"type": "record", "name": "Sale", "fields": [
              {"name": "id", "type": "string"},
              {"name": "shop", "type": "string"},
              {"name": "amount", "type": ["null", "int"], "default": null},
              {"name": "note", "type": ["null", "string"], "default": null},
              {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
              {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
            """;
    static final String JOB = """
            formatVersion: 1
            job: sales
            source: { schema: sale.avsc, format: json, files: { path: data } }
            changes: { mode: upsert, id: id, version: seen }
            time: { event: at, observed: seen, frontier: observed }
            partition: { grain: day, zone: UTC, lookback: 1 }
            target:
              table: shop.sales_by_day
              key: shop
              columns:
                sales:  { count: {} }
                amount: { sum: amount }
                note:   { latest: note }
            """;

    private final Path folder;
    private final Map<String, String> environment = new HashMap<>();

    Tidemark(Path folder) throws IOException {
        this.folder = folder;
        environment.put("TIDEMARK_LOCAL", folder.resolve("local").toString());
        write("sale.avsc", SCHEMA);
        write("sales.yaml", JOB);
        Files.createDirectories(folder.resolve("data"));
    }

    Tidemark with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** A path under the folder. */
    String path(String name) {
        return folder.resolve(name).toString();
    }

    void write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }

    /** Runs {@code command --job sales.yaml} with further arguments. */
    Result run(String command, String... arguments) {
        List<String> all = new ArrayList<>(List.of(command.split(" ")));
        all.addAll(List.of("--job", path("sales.yaml")));
        all.addAll(List.of(arguments));
        return runPlain(all.toArray(String[]::new));
    }

    Result runPlain(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = new CommandLineInterface(
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        environment,
                        Clock.fixed(NOW, ZoneOffset.UTC))
                .run(arguments);
        return new Result(status, shown(out), shown(err));
    }

    private String shown(StringWriter text) {
        return text.toString().replace(folder.toString(), "DIR");
    }

    /** What came of a command; the job's folder is written DIR. */
    record Result(int status, String out, String err) {}
}
