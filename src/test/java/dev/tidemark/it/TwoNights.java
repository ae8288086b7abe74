package dev.tidemark.it;

import static dev.tidemark.it.OrderLine.delete;
import static dev.tidemark.it.OrderLine.upsert;
import static dev.tidemark.kit.Plans.QUANTITY;
import static dev.tidemark.kit.Plans.products;

import dev.tidemark.job.Aggregate;
import dev.tidemark.job.Grain;
import dev.tidemark.job.JobPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * What a source of order lines says until the night of August 31, 2026, and on the day after it: something of the new day,
 * something late in the evening of the old one, a correction, a withdrawal, and a correction that comes too late.
 */
final class TwoNights {
    /** The days from here on are those that the changes are about, but for one. */
    static final String SINCE = "2026-08-28";

    /** What a full recomputation over all changes has of them. */
    static final List<String> TRUTH = List.of(
            "2026-08-28 A 2 11",
            "2026-08-29 A 1 11",
            "2026-08-30 A 1 14",
            "2026-08-30 B 1 4",
            "2026-08-31 A 2 28",
            "2026-09-01 A 1 16");

    private TwoNights() {}

    /** Product days of New York; the frontier's day and the three before it are open. */
    static JobPlan plan() {
        return products()
                .withGrain(Grain.DAY, "America/New_York")
                .withLookback(3, 6)
                .withColumn("quantity", Aggregate.SUM, QUANTITY)
                .plan();
    }

    static OrderLine[] first() {
        List<OrderLine> lines = new ArrayList<>();
        for (int day = 1; day <= 28; day++) {
            lines.add(line("A", "07-%02d".formatted(day), day).atOnce("2026-07-%02dT18:00:00-04:00".formatted(day)));
        }
        lines.add(line("A", "08-20", 10));
        lines.add(upsert("A-08-20-returned", 1)
                .quantity(-2)
                .with("text", "returned")
                .atOnce("2026-08-20T19:00:00-04:00"));
        lines.add(upsert("A-08-28-morning", 1).quantity(1).atOnce("2026-08-28T09:00:00-04:00"));
        lines.add(line("A", "08-28", 10));
        lines.add(line("A", "08-29", 12));
        lines.add(line("A", "08-30", 14));
        lines.add(line("B", "08-30", 4));
        lines.add(line("A", "08-31", 13));
        lines.add(line("B", "08-31", 5));
        return lines.toArray(OrderLine[]::new);
    }

    static OrderLine[] second() {
        return new OrderLine[] {
            line("A", "09-01", 16),
            upsert("A-08-31-evening", 1)
                    .quantity(15)
                    .at("2026-08-31T23:30:00-04:00")
                    .seen("2026-09-01T18:01:00-04:00"),
            upsert("A-08-29", 2).quantity(11).at("2026-08-29T18:00:00-04:00").seen("2026-09-01T18:02:00-04:00"),
            delete("B-08-31", 2).seen("2026-09-01T18:03:00-04:00"),
            upsert("A-08-20", 2).quantity(9).at("2026-08-20T18:00:00-04:00").seen("2026-09-01T18:04:00-04:00")
        };
    }

    /** A line of six in the evening, seen at once. */
    static OrderLine line(String product, String day, long quantity) {
        return upsert(product + "-" + day, 1)
                .product(product)
                .quantity(quantity)
                .atOnce("2026-" + day + "T18:00:00-04:00");
    }
}
