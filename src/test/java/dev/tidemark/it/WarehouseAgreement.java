package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Snapshot;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.SourceRecord;
import dev.tidemark.lateness.LatenessBuckets;
import dev.tidemark.publish.LogCut;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Holds all that a job has published of one log against the oracle. */
final class WarehouseAgreement {
    private WarehouseAgreement() {}

    /** After each publication, target, ledger, rejected changes, counts and bounds; at the end all the rest. */
    static void agree(History history, Published published, List<Publication> publications) throws Exception {
        JobPlan plan = history.plan();
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        Counts sum = new Counts(0, 0, 0, 0, 0, 0, null, 0);
        int next = 0;
        List<SourceRecord> records = history.records();
        for (Publication publication : publications) {
            while (next < records.size() && isBefore(records.get(next), publication)) {
                oracle.accept(records.get(next++));
            }
            sum = plus(sum, publication.counts());
            Snapshot expected = oracle.snapshot();
            String where = "publication " + publication + " after " + next + " records of " + history;
            assertThat(sum).as(where).isEqualTo(expected.counts());
            assertThat(published.targetAt(publication.number())).as(where).isEqualTo(expected.target());
            assertThat(published.ledgerAt(publication.number())).as(where).isEqualTo(ledger(expected));
            assertThat(published.rejectedAt(publication.number()))
                    .as(where)
                    .containsExactlyInAnyOrderElementsOf(expected.rejected());
            assertThat(publication.completeFrom()).as(where).isEqualTo(expected.completeFrom());
            assertThat(publication.closedBefore()).as(where).isEqualTo(expected.closedBefore());
        }
        assertThat(next).as("all records are published of " + history).isEqualTo(records.size());
        Snapshot last = oracle.snapshot();
        assertThat(published.target()).as(history.toString()).isEqualTo(last.target());
        assertThat(published.lateness()).as(history.toString()).isEqualTo(lateness(last));
        Map<String, String> sizes = new TreeMap<>();
        last.partitions().forEach((partition, size) -> sizes.put(partition, size.cells() + " " + size.members()));
        assertThat(published.partitions()).as(history.toString()).isEqualTo(sizes);
    }

    private static boolean isBefore(SourceRecord record, Publication publication) {
        return LogCut.comparePositions(record.split(), record.offset(), publication.split(), publication.nextOffset())
                < 0;
    }

    private static Counts plus(Counts sum, Counts more) {
        Long most = sum.maxLatenessMillis() == null
                ? more.maxLatenessMillis()
                : more.maxLatenessMillis() == null
                        ? sum.maxLatenessMillis()
                        : Long.valueOf(Math.max(sum.maxLatenessMillis(), more.maxLatenessMillis()));
        return new Counts(
                sum.read() + more.read(),
                sum.applied() + more.applied(),
                sum.superseded() + more.superseded(),
                sum.late() + more.late(),
                sum.split() + more.split(),
                sum.rejected() + more.rejected(),
                most,
                sum.halfWindowExceeded() + more.halfWindowExceeded());
    }

    private static List<String> ledger(Snapshot snapshot) {
        return snapshot.ledger().stream()
                .map(row -> String.join(
                        " ",
                        row.split(),
                        Long.toString(row.offset()),
                        row.half().name().toLowerCase(Locale.ROOT),
                        String.valueOf(row.recordId()),
                        row.operation().name().toLowerCase(Locale.ROOT),
                        String.valueOf(row.partition()),
                        String.valueOf(row.eventTime()),
                        String.valueOf(row.observedAt()),
                        String.valueOf(row.latenessMillis()),
                        String.valueOf(row.age()),
                        String.valueOf(row.frontier()),
                        String.valueOf(row.openFrom()),
                        row.reason().word(),
                        row.withheld() ? "t" : "f",
                        "open"))
                .sorted()
                .toList();
    }

    private static Map<String, String> lateness(Snapshot snapshot) {
        Map<String, long[]> sums = new TreeMap<>();
        snapshot.lateness().forEach((entry, times) -> {
            String bucket = entry.observedDay() + " " + entry.arrival().name().toLowerCase(Locale.ROOT) + " "
                    + entry.age() + " " + LatenessBuckets.upperBound(entry.latenessMillis());
            long[] sum = sums.computeIfAbsent(bucket, key -> new long[3]);
            sum[0] += times;
            sum[1] += entry.isLate() ? times : 0;
            sum[2] = Math.max(sum[2], entry.latenessMillis());
        });
        Map<String, String> result = new TreeMap<>();
        sums.forEach((bucket, sum) -> result.put(bucket, sum[0] + " " + sum[1] + " " + sum[2]));
        return result;
    }
}
