package dev.tidemark.cli;

import dev.tidemark.generate.DayFiles;
import dev.tidemark.generate.Kestrel;
import dev.tidemark.generate.KestrelFigures;
import dev.tidemark.generate.KestrelFigures.LagShare;
import dev.tidemark.generate.KestrelFigures.Loss;
import dev.tidemark.generate.RecordSink;
import dev.tidemark.generate.SessionsFigures;
import dev.tidemark.generate.Shipments;
import dev.tidemark.generate.ShipmentsFigures;
import dev.tidemark.generate.TtcFigures;
import dev.tidemark.generate.WebAnalyticsFigures;
import dev.tidemark.generate.kafka.TopicRecords;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** What was generated, for people. */
final class GenerateSummary {
    private GenerateSummary() {}

    static String kestrel(KestrelFigures figures, List<RecordSink> sinks, Duration took) {
        Sheet sheet = new Sheet();
        long orders = figures.ordinaryOrders() + figures.greatOrders();
        sheet.line(
                "orders",
                String.format(
                        Locale.ROOT,
                        "%,d   %,d in %s before %s (%,.0f a day), %,d on that day; $%.2f each",
                        orders,
                        figures.ordinaryOrders(),
                        Words.count(figures.days(), "day"),
                        figures.greatDay(),
                        (double) figures.ordinaryOrders() / figures.days(),
                        figures.greatOrders(),
                        figures.valueCents() / 100.0 / orders));
        sheet.number("changes", figures.changes(), "");
        sheet.number("  first", figures.created(), "lines of the orders");
        sheet.number("  corrected", figures.corrected(), "");
        sheet.number("  shipped", figures.shipped(), "");
        sheet.number("  withdrawn", figures.withdrawn(), "lines of cancelled orders");
        sheet.number("  again", figures.again(), "copies");
        sheet.number("  loaded", figures.loaded(), "by the strict reader below that reads four times on the last day");
        for (LagShare lag : figures.lags()) {
            sheet.line(
                    "lag " + lag.name(),
                    String.format(
                            Locale.ROOT,
                            "%-12s %,d orders lag less, %,d at most that: %s",
                            Words.span(Duration.ofNanos(lag.lagMicros() * 1_000)),
                            lag.below(),
                            lag.within(),
                            lag.exact() ? "exact" : "too few orders to tell it from the next"));
        }
        sheet.line(
                "strict reader",
                "loads updated_at > MAX(updated_at) at " + Kestrel.NIGHTLY + " every night, and loses");
        sheet.line(
                "  ordinary",
                String.format(
                        Locale.ROOT,
                        "%,d orders (%.3f %%), %.1f a day, at most %d",
                        figures.nightly().ordinary(),
                        100.0 * figures.nightly().ordinary() / figures.ordinaryOrders(),
                        (double) figures.nightly().ordinary() / figures.days(),
                        figures.nightly().most()));
        sheet.line("  " + figures.greatDay(), great(figures.nightly(), figures) + " when it reads at night only");
        sheet.line(
                "",
                great(figures.busy(), figures) + " when it reads at "
                        + Kestrel.BUSY.stream().map(LocalTime::toString).collect(Collectors.joining(", "))
                        + " as well");
        sheet.line(
                "",
                "by minute: "
                        + figures.busy().worstMinutes().stream()
                                .map(minute -> minute.minute() + " " + minute.lost())
                                .collect(Collectors.joining(", ")));
        written(sheet, sinks, took);
        return sheet.text();
    }

    static String sessions(SessionsFigures figures, List<RecordSink> sinks, Duration took) {
        Sheet sheet = new Sheet();
        sheet.line(
                "sessions",
                String.format(
                        Locale.ROOT,
                        "%,d   in %s before %s (%,.0f a day)",
                        figures.sessions(),
                        Words.count(figures.days(), "day"),
                        figures.end(),
                        (double) figures.sessions() / figures.days()));
        sheet.number("changes", figures.versions(), "");
        sheet.number("  again", figures.versions() - figures.sessions(), "sessions that went on after their end");
        sheet.line("longest lag", Words.span(Duration.ofNanos(figures.longestLagMicros() * 1_000)));
        sheet.line(
                "strict reader",
                "loads updated_at > MAX(updated_at) at " + Kestrel.NIGHTLY + " every night, and loses");
        sheet.line(
                "",
                String.format(
                        Locale.ROOT,
                        "%,d sessions (%.3f %%), %.1f a day, at most %d",
                        figures.lost(),
                        100.0 * figures.lost() / figures.sessions(),
                        (double) figures.lost() / figures.days(),
                        figures.most()));
        written(sheet, sinks, took);
        return sheet.text();
    }

    static String shipments(ShipmentsFigures figures, List<RecordSink> sinks, Duration took) {
        Sheet sheet = new Sheet();
        sheet.line(
                "shipments",
                String.format(
                        Locale.ROOT,
                        "%,d   in %s from %s on",
                        figures.shipments(),
                        Words.count(figures.nights(), "day"),
                        figures.firstDay()));
        sheet.number(
                "  settled",
                figures.settled(),
                "which no further night would fetch, with " + figures.copies() + " copies each");
        sheet.number(
                "rows",
                figures.rows(),
                "fetched at " + Shipments.LOADED + " in " + Words.count(figures.nights(), "night"));
        written(sheet, sinks, took);
        return sheet.text();
    }

    static String ttc(TtcFigures figures, List<RecordSink> sinks, Duration took) {
        Sheet sheet = new Sheet();
        sheet.line(
                "snapshots",
                String.format(
                        Locale.ROOT,
                        "%,d   one an hour, of %,d products and %,d locations, in %s from %s on",
                        figures.snapshots(),
                        figures.products(),
                        figures.locations(),
                        Words.count(figures.days(), "day"),
                        figures.firstDay()));
        sheet.number("  late", figures.lateSnapshots(), "as a whole, up to two days");
        sheet.number("product rows", figures.productRows(), "");
        sheet.number("  retries", figures.retries(), "in the same second, with another quantity");
        sheet.number(
                "  corrections",
                figures.corrections(),
                Words.number(figures.oldCorrections()) + " of them more than three days old");
        sheet.number("  future-dated", figures.futureDated(), "by three days");
        sheet.number("  at midnight", figures.aroundMidnight(), "within a minute of it");
        sheet.number("location rows", figures.locationRows(), "");
        written(sheet, sinks, took);
        return sheet.text();
    }

    static String webAnalytics(WebAnalyticsFigures figures, List<RecordSink> sinks, Duration took) {
        Sheet sheet = new Sheet();
        sheet.line(
                "events",
                String.format(
                        Locale.ROOT,
                        "%,d   in %s from %s on, of up to %,d devices and %,d users",
                        figures.events(),
                        Words.count(figures.days(), "day"),
                        figures.firstDay(),
                        figures.devices(),
                        figures.users()));
        sheet.number("  signed in", figures.signedIn(), "");
        sheet.number("  late", figures.late(), "an hour, a day or three days");
        sheet.number(
                "sessions", figures.sessions(), Words.number(figures.acrossMidnight()) + " of them across midnight");
        sheet.number("again", figures.again(), "copies");
        written(sheet, sinks, took);
        return sheet.text();
    }

    private static String great(Loss loss, KestrelFigures figures) {
        return String.format(
                Locale.ROOT, "%,d orders (%.2f %%)", loss.great(), 100.0 * loss.great() / figures.greatOrders());
    }

    private static void written(Sheet sheet, List<RecordSink> sinks, Duration took) {
        for (RecordSink sink : sinks) {
            if (sink instanceof DayFiles files) {
                sheet.line(
                        "files",
                        String.format(
                                Locale.ROOT,
                                "%,d, %.1f MB, in %s",
                                files.files(),
                                files.bytes() / 1e6,
                                files.folder()));
            } else if (sink instanceof TopicRecords topic) {
                sheet.line("topic", topic.topic() + ", " + Words.count(topic.records(), "record"));
            }
        }
        sheet.line("took", String.format(Locale.ROOT, "%.1f s", took.toMillis() / 1000.0));
    }
}
