package dev.tidemark.cli;

import dev.tidemark.generate.DayFiles;
import dev.tidemark.generate.EncodedRecords;
import dev.tidemark.generate.JsonEncoding;
import dev.tidemark.generate.JsonLinesForm;
import dev.tidemark.generate.Kestrel;
import dev.tidemark.generate.KestrelFigures;
import dev.tidemark.generate.RecordSink;
import dev.tidemark.generate.RecordWriter;
import dev.tidemark.generate.Sessions;
import dev.tidemark.generate.SessionsFigures;
import dev.tidemark.generate.Shipments;
import dev.tidemark.generate.ShipmentsFigures;
import dev.tidemark.generate.Ttc;
import dev.tidemark.generate.TtcFigures;
import dev.tidemark.generate.WebAnalytics;
import dev.tidemark.generate.WebAnalyticsFigures;
import dev.tidemark.generate.avro.AvroContainerForm;
import dev.tidemark.generate.avro.AvroEncoding;
import dev.tidemark.generate.avro.ExampleSchemas;
import dev.tidemark.generate.kafka.TopicRecords;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code generate}: example data, seeded. */
@Command(
        name = "generate",
        description = "Write example data: the same for the same arguments, on any machine.",
        footerHeading = "%nThe stories:%n",
        footer = {
            "  kestrel  order lines that arrive late, are corrected, shipped, cancelled and delivered twice: 243 days before"
                    + " 2026-11-27 and that day, 1.6 million orders",
            "  kestrel-strict  of these only what a reader of updated_at > MAX(updated_at) loads that reads at 03:30, and on"
                    + " 2026-11-27 at 05:05, 13:20 and 20:50 as well",
            "  kestrel-sessions  sessions of the shop's visitors, whose many collectors deliver later: 30 days, 1.2 million",
            "  kestrel-shipments  what a nightly load fetches of the shop's shipments, each in four nights: 19 nights, 460,000"
                    + " rows",
            "  ttc      hourly snapshots of products and of locations, some late, retried or corrected up to 60 days later:"
                    + " 142.6 million rows",
            "  web-analytics  events of devices, some with users: 100,000 a day from 2026-03-19 on, so a million with --days 60"
                    + " --scale 0.1667",
        })
final class GenerateCommand implements Callable<Integer> {
    private static final long DEFAULT_SEED = 20261127;
    private static final int WEB_DAYS = 7;

    private final Console console;

    /** The stories. */
    enum Story {
        KESTREL,
        KESTREL_STRICT,
        KESTREL_SESSIONS,
        KESTREL_SHIPMENTS,
        TTC,
        WEB_ANALYTICS
    }

    /** How records are written. */
    enum Encoding {
        AVRO,
        JSON
    }

    @Parameters(
            paramLabel = "NAME",
            description =
                    "The story: kestrel, kestrel-strict, kestrel-sessions, kestrel-shipments, ttc or web-analytics.")
    private Story story = Story.KESTREL;

    @Option(names = "--out", paramLabel = "DIR", description = "The folder for the files, one for each day of arrival.")
    private @Nullable Path out;

    @Option(
            names = "--topic",
            paramLabel = "T",
            description = "The topic to send to instead; created if it is not there. ttc: T-products and T-locations.")
    private @Nullable String topic;

    @Option(
            names = "--bootstrap-servers",
            paramLabel = "HOST:PORT",
            description = "Where Kafka is; default: localhost:9092.")
    private String bootstrapServers = "localhost:9092";

    @Option(names = "--partitions", paramLabel = "N", description = "Of a topic that is created; default: 4.")
    private int partitions = 4;

    @Option(names = "--scale", paramLabel = "S", description = "How many times as much; default: 1.")
    private double scale = 1;

    @Option(
            names = "--days",
            paramLabel = "N",
            description = "How many days; default: of kestrel 243 before the great day, of kestrel-sessions 30, of"
                    + " kestrel-shipments 19, of web-analytics 7.")
    private @Nullable Integer days;

    @Option(names = "--seed", paramLabel = "N", description = "Another seed gives other data; default: 20261127.")
    private long seed = DEFAULT_SEED;

    @Option(
            names = "--shape",
            paramLabel = "uniform|dense",
            description =
                    "web-analytics: events by themselves, evenly over the day, which is the default; or sessions, some"
                            + " across midnight.")
    private WebAnalytics.@Nullable Shape shape;

    @Option(
            names = "--late-arrivals",
            description = "web-analytics: 10 %% of the events come an hour late, 5 %% a day, 5 %% three days.")
    private boolean lateArrivals;

    @Option(names = "--redeliveries", description = "web-analytics: 2 %% of the events come once more.")
    private boolean redeliveries;

    @Option(
            names = "--format",
            paramLabel = "avro|json",
            description = "Avro container files or JSON lines; default: avro.")
    private Encoding format = Encoding.AVRO;

    @Option(
            names = "--totals",
            paramLabel = "FILE",
            description = "Also write what a payment processor would know of kestrel: day, lines and gross, as CSV.")
    private @Nullable Path totals;

    @Option(names = "--replace", description = "Remove the files that an earlier 'generate' wrote to the folder.")
    private boolean replace;

    GenerateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (!(scale > 0 && scale <= 1_000)) {
            throw CommandException.wrongUse("--scale: %s is not above 0 and at most 1000", scale);
        }
        if (days != null && (days < 1 || days > 10_000)) {
            throw CommandException.wrongUse("--days: %s is not from 1 to 10000", days);
        }
        if ((out == null) == (topic == null)) {
            throw CommandException.wrongUse("generate writes either to --out DIR or to --topic T; say one of them");
        }
        if (totals != null && story != Story.KESTREL && story != Story.KESTREL_STRICT) {
            throw CommandException.wrongUse("--totals belongs to kestrel and kestrel-strict");
        }
        if (partitions < 1) {
            throw CommandException.wrongUse("--partitions: %s is not at least 1", partitions);
        }
        if (story != Story.WEB_ANALYTICS && (shape != null || lateArrivals || redeliveries)) {
            throw CommandException.wrongUse("--shape, --late-arrivals and --redeliveries are for web-analytics");
        }
        GenerateProgress progress = new GenerateProgress(console);
        switch (story) {
            case KESTREL, KESTREL_STRICT -> kestrel(progress);
            case KESTREL_SESSIONS -> sessions(progress);
            case KESTREL_SHIPMENTS -> shipments(progress);
            case TTC -> ttc(progress);
            case WEB_ANALYTICS -> webAnalytics(progress);
        }
        console.out().flush();
        return ExitStatus.DONE;
    }

    private void kestrel(GenerateProgress progress) throws IOException {
        Kestrel kestrel = new Kestrel(scale, days == null ? Kestrel.DAYS : days, seed);
        RecordSink sink = sink("", "order-line");
        KestrelFigures figures;
        try (RecordWriter writer = writer(sink, "order-line")) {
            figures = story == Story.KESTREL ? kestrel.write(writer, progress) : kestrel.writeLoaded(writer, progress);
        } finally {
            progress.end();
        }
        if (totals != null) {
            write(totals, figures);
        }
        console.out().print(GenerateSummary.kestrel(figures, List.of(sink), progress.took()));
    }

    /** What the payment processor knows: by day of order, the lines that stand in the end and what they are worth. */
    private static void write(Path file, KestrelFigures figures) {
        StringBuilder text = new StringBuilder("day,lines,gross\n");
        figures.totals()
                .forEach((day, total) -> text.append(day)
                        .append(',')
                        .append(total.lines())
                        .append(',')
                        .append(BigDecimal.valueOf(total.cents(), 2))
                        .append('\n'));
        try {
            Files.writeString(file, text);
        } catch (IOException failure) {
            throw CommandException.failed(
                    "the totals could not be written to " + file + ": " + failure.getMessage()
                            + "; name a file in a folder that is there and may be written",
                    failure);
        }
    }

    private void sessions(GenerateProgress progress) throws IOException {
        Sessions sessions = new Sessions(scale, days == null ? Sessions.DAYS : days, seed);
        RecordSink sink = sink("", "session");
        SessionsFigures figures;
        try (RecordWriter writer = writer(sink, "session")) {
            figures = sessions.write(writer, progress);
        } finally {
            progress.end();
        }
        console.out().print(GenerateSummary.sessions(figures, List.of(sink), progress.took()));
    }

    private void shipments(GenerateProgress progress) throws IOException {
        Shipments shipments = new Shipments(scale, days == null ? Shipments.NIGHTS : days, seed);
        RecordSink sink = sink("", "shipment");
        ShipmentsFigures figures;
        try (RecordWriter writer = writer(sink, "shipment")) {
            figures = shipments.write(writer, progress);
        } finally {
            progress.end();
        }
        console.out().print(GenerateSummary.shipments(figures, List.of(sink), progress.took()));
    }

    private void ttc(GenerateProgress progress) throws IOException {
        Ttc ttc = days == null ? new Ttc(scale, seed) : new Ttc(scale, days, seed);
        RecordSink products = sink("products", "product-snapshot");
        RecordSink locations = sink("locations", "location-snapshot");
        TtcFigures figures;
        try (RecordWriter productRows = writer(products, "product-snapshot");
                RecordWriter locationRows = writer(locations, "location-snapshot")) {
            figures = ttc.write(productRows, locationRows, progress);
        } finally {
            progress.end();
        }
        console.out().print(GenerateSummary.ttc(figures, List.of(products, locations), progress.took()));
    }

    private void webAnalytics(GenerateProgress progress) throws IOException {
        Set<WebAnalytics.Trouble> troubles = EnumSet.noneOf(WebAnalytics.Trouble.class);
        if (lateArrivals) {
            troubles.add(WebAnalytics.Trouble.LATE_ARRIVALS);
        }
        if (redeliveries) {
            troubles.add(WebAnalytics.Trouble.REDELIVERIES);
        }
        WebAnalytics web = new WebAnalytics(
                scale,
                days == null ? WEB_DAYS : days,
                seed,
                shape == null ? WebAnalytics.Shape.UNIFORM : shape,
                troubles);
        RecordSink sink = sink("", "web-event");
        WebAnalyticsFigures figures;
        try (RecordWriter writer = writer(sink, "web-event")) {
            figures = web.write(writer, progress);
        } finally {
            progress.end();
        }
        console.out().print(GenerateSummary.webAnalytics(figures, List.of(sink), progress.took()));
    }

    private RecordWriter writer(RecordSink sink, String schemaName) throws IOException {
        Schema schema = ExampleSchemas.named(schemaName);
        return new EncodedRecords(
                format == Encoding.AVRO ? new AvroEncoding() : new JsonEncoding(ExampleSchemas.fields(schema)), sink);
    }

    /** Where the records of a table go; a story of one table has no name for it. */
    private RecordSink sink(String table, String schemaName) throws IOException {
        Schema schema = ExampleSchemas.named(schemaName);
        if (topic != null) {
            byte[] header = format == Encoding.AVRO ? ExampleSchemas.singleObjectHeader(schema) : new byte[0];
            String name = table.isEmpty() ? topic : topic + "-" + table;
            return TopicRecords.open(bootstrapServers, name, partitions, header);
        }
        Path folder =
                Objects.requireNonNull(out, "without --topic there is --out").resolve(table);
        requireEmpty(folder);
        return new DayFiles(folder, format == Encoding.AVRO ? new AvroContainerForm(schema) : new JsonLinesForm());
    }

    private void requireEmpty(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw CommandException.wrongUse("--out: %s is no folder; name another", folder);
        }
        List<Path> there = new ArrayList<>();
        try (Stream<Path> list = Files.list(folder)) {
            list.sorted().forEach(there::add);
        }
        Set<String> written = DayFiles.written(folder);
        List<Path> foreign = there.stream()
                .filter(file -> !written.contains(String.valueOf(file.getFileName())))
                .toList();
        if (!foreign.isEmpty()) {
            throw CommandException.wrongUse(
                    "--out: the folder %s holds %s, which generate did not write; name another folder",
                    folder, foreign.get(0).getFileName());
        }
        if (!there.isEmpty() && !replace) {
            throw CommandException.wrongUse(
                    "--out: the folder %s is not empty; name another, or say --replace to remove the %s there",
                    folder, Words.count(there.size() - 1, "file"));
        }
        for (Path file : there) {
            Files.delete(file);
        }
    }
}
