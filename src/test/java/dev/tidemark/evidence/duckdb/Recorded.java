package dev.tidemark.evidence.duckdb;

import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Values;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.evidence.Recorder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.kit.Canonical;
import dev.tidemark.kit.History;
import dev.tidemark.kit.Snapshot.TargetRow;
import dev.tidemark.kit.SourceRecord;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Generated histories as recorders write them down, and what is read from a recomputation. */
final class Recorded {
    private Recorded() {}

    /** Writes a history down: two readers share it, in any order. */
    static void write(History history, JobPlan plan, Path folder, Random random) {
        Stamper stamper = new Stamper(plan, new Decoders().create(plan), Map.of());
        Gate gate = new Gate(plan);
        Whole whole = new Whole(gate.calendar(), plan, Whole.ALL);
        Map<String, Frontier> frontiers = new HashMap<>();
        Map<String, Long> sequences = new HashMap<>();
        List<Change> changes = new ArrayList<>();
        Recorder.Factory files = new ChangeFiles(plan, folder.toString(), 100);
        try (Recorder first = files.open(0);
                Recorder second = files.open(1)) {
            for (SourceRecord record : history.records()) {
                RawRecord raw = raw(record, sequences.merge(record.log(), 1L, Long::sum) - 1);
                Frontier frontier = frontiers.computeIfAbsent(
                        raw.log,
                        name -> new Frontier(gate.calendar(), plan.time().maxAdvance()));
                Change change = stamper.stamp(raw, frontier, whole, false);
                if (change == null) {
                    first.reject(
                            raw.log,
                            raw.split,
                            raw.offset,
                            stamper.rejected(raw).reason().word());
                } else {
                    changes.add(change);
                }
            }
            Collections.shuffle(changes, random);
            changes.forEach(change -> (random.nextBoolean() ? first : second).record(change));
            first.finish(List.of(), history.records().size(), 0);
            second.finish(List.of(), 0, 0);
        }
    }

    private static RawRecord raw(SourceRecord record, long sequence) {
        RawRecord raw = new RawRecord();
        raw.log = record.log();
        raw.split = record.split();
        raw.offset = record.offset();
        raw.sequence = sequence;
        raw.timestamp = record.timestamp() == null
                ? RawRecord.UNKNOWN
                : Values.micros(Objects.requireNonNull(record.timestamp()));
        raw.bytes = record.payload();
        raw.length = raw.bytes.length;
        raw.wholeLength = raw.length;
        return raw;
    }

    /** The cells that have been computed, in the words of the oracle. */
    static List<TargetRow> cells(Recomputation recomputation, JobPlan plan) throws SQLException {
        Names names = new Names(plan);
        List<TargetRow> rows = new ArrayList<>();
        try (Statement statement = recomputation.connection().createStatement();
                ResultSet row = statement.executeQuery("select partition, members, fingerprint"
                        + (names.keys().isEmpty() ? "" : ", " + Names.list(names.keys()))
                        + ", " + Names.list(names.values()) + " from cells")) {
            while (row.next()) {
                int at = 4;
                List<Object> key = new ArrayList<>();
                for (var field : plan.target().key()) {
                    key.add(Objects.requireNonNull(Canonical.value(DuckTypes.read(row, at++, field.type()))));
                }
                List<@Nullable Object> values = new ArrayList<>();
                for (var column : plan.target().columns()) {
                    values.add(Canonical.value(DuckTypes.read(row, at++, column.type())));
                }
                rows.add(new TargetRow(row.getString(1), key, values, row.getLong(2), row.getLong(3)));
            }
        }
        rows.sort(Canonical.ORDER);
        return rows;
    }
}
