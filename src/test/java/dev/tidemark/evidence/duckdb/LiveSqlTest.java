package dev.tidemark.evidence.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.change.ByteBuilder;
import dev.tidemark.change.Bytes;
import dev.tidemark.change.Change;
import dev.tidemark.change.Draft;
import dev.tidemark.change.OrderedBytes;
import dev.tidemark.change.RowLayout;
import dev.tidemark.change.Values;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.job.Aggregate;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Plans;
import dev.tidemark.membership.LiveRecords;
import dev.tidemark.partition.Contribution;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What lives by SQL is what lives by the rule of membership, where versions are equal, copied and withdrawn by tombstones. */
class LiveSqlTest {
    private static final long DAY = Values.micros(Instant.parse("2024-03-01T12:00:00Z"));
    private static final int RECORDS = 3_000;

    @TempDir
    Path folder;

    private final ByteBuilder scratch = new ByteBuilder();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void tiesCopiesAndTombstonesAreJudgedAlike(long seed) throws Exception {
        JobPlan plan = Plans.products()
                .withColumn("quantity", Aggregate.SUM, Plans.QUANTITY)
                .plan();
        Random random = new Random(seed);
        List<Change> changes = new ArrayList<>();
        Map<String, String> expected = new TreeMap<>();
        LiveRecords rule = new LiveRecords(plan);
        for (int record = 0; record < RECORDS; record++) {
            List<Change> own = new ArrayList<>();
            int count = 1 + random.nextInt(7);
            for (int i = 0; i < count; i++) {
                own.add(change(plan, random, "r" + record, record * 10L + i));
            }
            Contribution live = rule.live(own);
            if (live != null && live.plus() != null) {
                expected.put("r" + record, live.plus().log() + " " + live.plus().sequence());
            }
            changes.addAll(own);
        }
        Collections.shuffle(changes, random);
        try (Recorder recorder = new ChangeFiles(plan, folder.toString(), 100).open(0)) {
            changes.forEach(recorder::record);
            recorder.finish(List.of(), changes.size(), 0);
        }

        try (Recomputation recomputation = Recomputation.open(plan, folder, 200, 2)) {
            recomputation.findLive();

            assertThat(live(recomputation)).as("seed " + seed).isEqualTo(expected);
        }
    }

    @Test
    void ofARangeTheRecordsThatHaveMovedAwayDoNotLive() throws Exception {
        JobPlan plan = Plans.products().plan();
        try (Recorder recorder = new ChangeFiles(plan, folder.toString(), 100).open(0)) {
            recorder.record(upsert(plan, "moved", 0, 1, DAY, DAY, "a", null));
            recorder.record(upsert(plan, "moved", 1, 2, DAY + 86_400_000_000L, DAY, "a", null));
            recorder.record(upsert(plan, "stays", 2, 1, DAY, DAY, "a", null));
            recorder.record(upsert(plan, "other", 3, 1, DAY + 86_400_000_000L, DAY, "a", null));
            recorder.finish(List.of(), 4, 0);
        }

        try (Recomputation recomputation = Recomputation.open(plan, folder, 200, 1)) {
            recomputation.findLive("2024-03-01", "2024-03-01");

            assertThat(live(recomputation)).containsOnlyKeys("stays");
        }
    }

    private static Map<String, String> live(Recomputation recomputation) throws SQLException {
        Map<String, String> live = new TreeMap<>();
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery("select record_id, log, sequence from live")) {
            while (row.next()) {
                live.put(row.getString(1), row.getString(2) + " " + row.getLong(3));
            }
        }
        return live;
    }

    private Change change(JobPlan plan, Random random, String id, long sequence) {
        String log = random.nextInt(10) == 0 ? "b" : "a";
        long observed = DAY + random.nextInt(4);
        long version = random.nextInt(3);
        return switch (random.nextInt(10)) {
            case 0, 1 -> deleted(log, id, sequence, Bytes.EMPTY, random.nextBoolean() ? observed : Change.UNKNOWN);
            case 2, 3 -> deleted(log, id, sequence, version(plan, version), observed);
            default -> {
                Change upsert = upsert(
                        plan,
                        id,
                        sequence,
                        version,
                        DAY + (random.nextInt(5) == 0 ? 86_400_000_000L : 0),
                        observed,
                        random.nextBoolean() ? "x" : "y",
                        random.nextInt(3) == 0 ? null : Long.valueOf(random.nextInt(2)));
                yield new Change(
                        log,
                        upsert.sequence(),
                        upsert.split(),
                        upsert.offset(),
                        false,
                        upsert.recordId(),
                        upsert.version(),
                        upsert.eventTime(),
                        upsert.observedAt(),
                        Change.UNKNOWN,
                        Long.MIN_VALUE,
                        Long.MIN_VALUE,
                        upsert.key(),
                        upsert.row(),
                        false);
            }
        };
    }

    private static Change deleted(String log, String id, long sequence, Bytes version, long observed) {
        return new Change(
                log,
                sequence,
                "f",
                sequence,
                true,
                Bytes.utf8(id),
                version,
                Change.UNKNOWN,
                observed,
                Change.UNKNOWN,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                null,
                null,
                false);
    }

    private Change upsert(
            JobPlan plan,
            String id,
            long sequence,
            long version,
            long event,
            long observed,
            String product,
            @Nullable Long quantity) {
        RowLayout keys = RowLayout.ofFields(plan.target().key());
        keys.begin(scratch);
        byte[] text = product.getBytes(StandardCharsets.UTF_8);
        keys.putBytes(scratch, 0, text, 0, text.length);
        Bytes key = scratch.build();
        RowLayout rows = RowLayout.ofFields(plan.rowFields());
        rows.begin(scratch);
        if (quantity != null && rows.size() > 0) {
            rows.putFixed(scratch, 0, quantity);
        }
        return new Change(
                "a",
                sequence,
                "f",
                sequence,
                false,
                Bytes.utf8(id),
                version(plan, version),
                event,
                observed,
                Change.UNKNOWN,
                Long.MIN_VALUE,
                Long.MIN_VALUE,
                key,
                scratch.build(),
                false);
    }

    private Bytes version(JobPlan plan, long version) {
        Draft draft = new Draft(1);
        draft.setFixed(0, version);
        scratch.clear();
        OrderedBytes.put(scratch, plan.changes().version().get(0).type(), draft, 0);
        return scratch.build();
    }
}
