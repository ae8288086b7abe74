package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.PartitionPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.kit.Fingerprints;
import dev.tidemark.kit.HarnessJob;
import dev.tidemark.kit.HarnessJob.Checkpoint;
import dev.tidemark.kit.HarnessSource;
import dev.tidemark.kit.Histories;
import dev.tidemark.kit.History;
import dev.tidemark.kit.LastingColumns;
import dev.tidemark.kit.MemoryWarehouse;
import dev.tidemark.kit.MemoryWarehouse.Publication;
import dev.tidemark.kit.MemoryWarehouse.Row;
import dev.tidemark.kit.MemoryWarehouse.Visible;
import dev.tidemark.kit.Oracle;
import dev.tidemark.kit.RunningColumns;
import dev.tidemark.kit.Snapshot.LedgerRow;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.kit.SourceRecord;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Promise 4, as far as the operators go: restored with a larger lookback, a job is as if it had had it from the start. */
class WiderLookbackTest {
    private static final int HISTORIES = 60;

    @Test
    void aJobThatIsRestoredWiderEqualsOneThatWasWiderFromTheStart() throws Exception {
        int widened = 0;
        for (long seed = 1_700_000; widened < HISTORIES; seed++) {
            History history = Histories.random(seed);
            PartitionPlan days = history.plan().partition();
            if (days.retain() > days.lookback()) {
                widened++;
                String difference = difference(seed, history);
                if (difference != null) {
                    History smallest = Histories.shrink(history, new Fails(seed)::test);
                    fail(difference(seed, smallest) + "\nover the smallest part that fails, of " + smallest);
                }
            }
        }
    }

    /** What a widening brings in counts in running columns: each row adds up what stood when it was written. */
    @Test
    void runningColumnsAddUpWhatIsBroughtIn() throws Exception {
        int widened = 0;
        int reopened = 0;
        for (long seed = 1_760_000; widened < HISTORIES / 4; seed++) {
            History drawn = Histories.random(seed);
            PartitionPlan days = drawn.plan().partition();
            if (days.retain() > days.lookback()) {
                widened++;
                History history = drawn.withPlan(RunningColumns.in(drawn.plan(), new Random(seed)));
                try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
                    String difference = difference(seed, history, warehouse);
                    assertThat(difference == null ? sums(history.plan(), warehouse) : difference)
                            .as("seed " + seed + " of " + history)
                            .isNull();
                    reopened += warehouse.openLedger().size()
                                    < warehouse.visible().ledger().size()
                            ? 1
                            : 0;
                }
            }
        }
        assertThat(reopened)
                .as("histories of which ledger rows were brought in")
                .isGreaterThan(2);
    }

    /** The running count of members in each row that a publication wrote, beside those that stood then. */
    private static @Nullable String sums(JobPlan plan, MemoryWarehouse warehouse) {
        List<String> names =
                plan.target().columns().stream().map(ValueColumn::name).toList();
        int soFar = names.indexOf("so_far");
        for (Publication publication : warehouse.publications()) {
            List<Row> stood = publication.visible().target();
            for (Row row : stood) {
                long sum = stood.stream()
                        .map(Row::row)
                        .filter(other -> other.key().equals(row.row().key())
                                && other.partition().compareTo(row.row().partition()) <= 0)
                        .mapToLong(TargetRow::members)
                        .sum();
                if (row.publication() == publication.number()
                        && !Long.valueOf(sum).equals(row.row().values().get(soFar))) {
                    return "publication " + publication.number() + " wrote " + row + ", and what stands adds up to "
                            + sum;
                }
            }
        }
        return null;
    }

    private record Fails(long seed) {
        boolean test(History history) {
            try {
                return difference(seed, history) != null;
            } catch (Exception failure) {
                return true;
            }
        }
    }

    private static @Nullable String difference(long seed, History history) throws Exception {
        try (MemoryWarehouse warehouse = new MemoryWarehouse(history.plan())) {
            return difference(seed, history, warehouse);
        }
    }

    private static @Nullable String difference(long seed, History history, MemoryWarehouse warehouse) throws Exception {
        Random random = new Random(seed);
        JobPlan plan = history.plan();
        PartitionPlan days = plan.partition();
        JobPlan wider = withLookback(plan, days.lookback() + 1 + random.nextInt(days.retain() - days.lookback()));
        List<SourceRecord> records = history.records();
        int before = random.nextInt(records.size() + 1);
        Oracle oracle = new Oracle(wider, Fingerprints.of(wider));
        records.subList(0, before).forEach(oracle::accept);
        Checkpoint savepoint;
        boolean isLevel;
        try (HarnessJob job = HarnessJob.submit(
                plan, new HarnessSource(history), warehouse, "narrow", 1 + random.nextInt(3), random)) {
            for (int read = 0; read < before; ) {
                int step = Math.min(before - read, 1 + random.nextInt(1 + before / 3));
                job.read(step);
                read += step;
                job.checkpoint();
            }
            job.checkpoint();
            int newest = job.completed().size() - 1;
            isLevel = newest == 0 || random.nextBoolean();
            savepoint = Objects.requireNonNull(job.completed().get(isLevel ? newest : random.nextInt(newest)));
        }
        warehouse.takeUp(wider);
        try (HarnessJob job = HarnessJob.submitFrom(
                savepoint, wider, new HarnessSource(history), warehouse, "wider", 1 + random.nextInt(3), random)) {
            job.checkpoint();
            if (isLevel) {
                String difference = differs("after the restore", history, warehouse, oracle);
                if (difference != null) {
                    return difference;
                }
            }
            job.read(random.nextInt(1 + records.size() - before));
            if (random.nextBoolean()) {
                job.checkpoint();
            }
            job.crash(1 + random.nextInt(3));
            job.read(Integer.MAX_VALUE);
            job.finish();
            job.checkpoint();
        }
        records.subList(before, records.size()).forEach(oracle::accept);
        return differs("at the end", history, warehouse, oracle);
    }

    /**
     * Rows of the window are the oracle's; of one log, the open ledger rows of the partitions that were opened again too: all
     * others are brought in.
     */
    private static @Nullable String differs(String when, History history, MemoryWarehouse warehouse, Oracle oracle) {
        Visible visible = warehouse.visible();
        String completeFrom = oracle.snapshot().completeFrom();
        if (!Objects.equals(visible.completeFrom(), completeFrom)) {
            return when + " complete from " + visible.completeFrom() + " and should be from " + completeFrom;
        }
        List<TargetRow> window = visible.rows().stream()
                .filter(row -> completeFrom == null || row.partition().compareTo(completeFrom) >= 0)
                .toList();
        LastingColumns local = LastingColumns.local(history.plan());
        if (!local.of(window).equals(local.of(oracle.window()))) {
            return when + " the window is\n" + window + "\nand should be\n" + oracle.window();
        }
        List<String> open = places(warehouse.openLedger(), warehouse.replacedFrom());
        List<String> late = places(oracle.snapshot().ledger(), warehouse.replacedFrom());
        return history.logs().size() > 1 || open.equals(late)
                ? null
                : when + " open in the ledger are\n" + open + "\nand should be\n" + late;
    }

    private static List<String> places(List<LedgerRow> rows, @Nullable String from) {
        return rows.stream()
                .filter(row -> row.partition() != null
                        && (from == null || row.partition().compareTo(from) >= 0))
                .map(row -> row.split() + " " + row.offset() + " " + row.half())
                .sorted()
                .toList();
    }

    private static JobPlan withLookback(JobPlan plan, int lookback) {
        PartitionPlan days = plan.partition();
        return new JobPlan(
                plan.job(),
                plan.source(),
                plan.changes(),
                plan.time(),
                new PartitionPlan(
                        days.grain(), days.zone(), lookback, null, days.retain(), days.column(), days.wholeFrom()),
                plan.target());
    }
}
