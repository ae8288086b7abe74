package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.it.Published.Publication;
import dev.tidemark.it.Published.Written;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.History;
import dev.tidemark.kit.LastingColumns;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.Snapshot;
import dev.tidemark.kit.Snapshot.Counts;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.kit.SourceRecord;
import dev.tidemark.lateness.LatenessBuckets;
import dev.tidemark.publish.LogCut;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Holds all that a job has published of logs whose ids stay in them against the oracle. */
public final class WarehouseAgreement {
    private WarehouseAgreement() {}

    /** After each publication, target, ledger, rejected changes, counts and bounds; at the end all the rest. */
    public static void agree(History history, Published published, List<Publication> publications) throws Exception {
        JobPlan plan = history.plan();
        Oracle oracle = new Oracle(plan, Fingerprints.of(plan));
        Counts sum = new Counts(0, 0, 0, 0, 0, 0, null, 0);
        LastingColumns local = LastingColumns.local(plan);
        Map<Long, Set<TargetRow>> asOf = new TreeMap<>();
        int next = 0;
        Map<String, Deque<SourceRecord>> unread = new TreeMap<>();
        history.logs().forEach((log, records) -> {
            oracle.begin(log);
            unread.put(log, new ArrayDeque<>(records));
        });
        String closedBefore = null;
        for (Publication publication : publications) {
            for (Deque<SourceRecord> log : unread.values()) {
                while (!log.isEmpty() && isBefore(log.getFirst(), publication)) {
                    oracle.accept(log.remove());
                    next++;
                }
            }
            sum = plus(sum, publication.counts());
            Snapshot expected = oracle.snapshot();
            int records = next;
            Supplier<String> where =
                    () -> "publication " + publication + " after " + records + " records of " + history;
            assertThat(sum).as(where).isEqualTo(expected.counts());
            target(published, publication, closedBefore, expected, asOf, where);
            assertThat(published.ledgerAt(publication.number())).as(where).isEqualTo(ledger(expected));
            assertThat(published.rejectedAt(publication.number()))
                    .as(where)
                    .containsExactlyInAnyOrderElementsOf(expected.rejected());
            assertThat(publication.completeFrom()).as(where).isEqualTo(expected.completeFrom());
            if (unread.size() == 1) {
                assertThat(publication.closedBefore()).as(where).isEqualTo(expected.closedBefore());
            } else {
                isBetween(publication.closedBefore(), closedBefore, expected, where);
            }
            closedBefore = publication.closedBefore();
        }
        assertThat(next)
                .as("all records are published of " + history)
                .isEqualTo(history.records().size());
        Snapshot last = oracle.snapshot();
        assertThat(local.of(published.target())).as(history.toString()).isEqualTo(local.of(last.target()));
        assertThat(published.lateness()).as(history.toString()).isEqualTo(lateness(last));
        Map<String, String> sizes = new TreeMap<>();
        last.partitions().forEach((partition, size) -> sizes.put(partition, size.cells() + " " + size.members()));
        assertThat(published.partitions()).as(history.toString()).isEqualTo(sizes);
    }

    /**
     * Local columns are those of now; each row as a whole is as of the publication that wrote it, or of this one if the job is
     * retroactive and its partition was open.
     */
    private static void target(
            Published published,
            Publication publication,
            @Nullable String closedBefore,
            Snapshot expected,
            Map<Long, Set<TargetRow>> asOf,
            Supplier<String> where)
            throws SQLException {
        LastingColumns local = LastingColumns.local(published.plan());
        assertThat(local.of(published.targetAt(publication.number()))).as(where).isEqualTo(local.of(expected.target()));
        asOf.put(publication.number(), Set.copyOf(expected.target()));
        for (Written written : published.writtenAt(publication.number())) {
            boolean isCurrent = published.plan().target().retroactive()
                    && (closedBefore == null || written.row().partition().compareTo(closedBefore) >= 0);
            long when = isCurrent ? publication.number() : written.publication();
            assertThat(asOf.get(when))
                    .as(() -> "as of publication " + when + ", at " + where.get())
                    .contains(written.row());
        }
    }

    /** Which logs were idle is not published: the bound waits for all of them at least, and for one at most. */
    private static void isBetween(
            @Nullable String closedBefore, @Nullable String before, Snapshot expected, Supplier<String> where) {
        for (String least : Arrays.asList(before, expected.closedBefore())) {
            if (least != null) {
                assertThat(closedBefore).as(where).isNotNull().isGreaterThanOrEqualTo(least);
            }
        }
        if (closedBefore != null) {
            assertThat(closedBefore).as(where).isLessThanOrEqualTo(Objects.requireNonNull(expected.completeFrom()));
        }
    }

    private static boolean isBefore(SourceRecord record, Publication publication) {
        return publication.positions().entrySet().stream()
                .anyMatch(position -> record.isInLogOf(position.getKey())
                        && LogCut.comparePositions(
                                        record.split(), record.offset(), position.getKey(), position.getValue())
                                < 0);
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
