package dev.tidemark.gate.flink;

import dev.tidemark.change.Change;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.Bound;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Cut;
import dev.tidemark.publish.LogCut;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Standing;
import dev.tidemark.publish.flink.PartSerializer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;
import org.jspecify.annotations.Nullable;

/** All subtasks of the stamping operator, with the source's words in the hands of the test. */
final class Stamps implements AutoCloseable {
    private static final int GROUPS = 128;
    private static final OutputTag<Part> PARTS = new OutputTag<>("parts", PartSerializer.TYPE);
    private static final OutputTag<Bound> BOUNDS = new OutputTag<>("bounds", BoundSerializer.TYPE);

    /** A checkpoint. */
    record Saved(long checkpoint, int parallelism, OperatorSubtaskState state) {}

    final List<Change> changes = new ArrayList<>();
    private final List<OneInputStreamOperatorTestHarness<RawRecord, Change>> subtasks = new ArrayList<>();
    private final Map<String, Long> offsets = new HashMap<>();

    private static Standing standing(List<LogCut> logs) {
        return new Standing(1, null, logs, Standing.NOWHERE, Standing.NOWHERE, Standing.NOWHERE, 3);
    }

    Stamps(JobPlan plan, int parallelism, List<LogCut> published, @Nullable Saved from) throws Exception {
        List<LogCut> floors = new ArrayList<>(published);
        for (int i = 0; i < parallelism; i++) {
            OneInputStreamOperatorTestHarness<RawRecord, Change> harness = new OneInputStreamOperatorTestHarness<>(
                    new StampOperator(
                            plan,
                            new Decoders(),
                            () -> standing(floors),
                            Map.of(),
                            "submission",
                            FrontierResets.NONE,
                            PARTS,
                            BOUNDS),
                    GROUPS,
                    parallelism,
                    i);
            harness.setup(new ChangeSerializer());
            if (from == null) {
                harness.initializeEmptyState();
            } else {
                harness.setRestoredCheckpointId(from.checkpoint());
                harness.initializeState(AbstractStreamOperatorTestHarness.repartitionOperatorState(
                        from.state(), GROUPS, from.parallelism(), parallelism, i));
            }
            harness.open();
            subtasks.add(harness);
        }
    }

    /** The source says that a reader begins to read a log from its start. */
    void begins(int subtask, String log, boolean whole) throws Exception {
        RawRecord taken = word(RawRecord.Kind.TAKEN, log);
        taken.begins = true;
        taken.whole = whole;
        accept(subtask, taken);
    }

    /** The source says that a reader goes on with a log. */
    void takes(int subtask, String log) throws Exception {
        accept(subtask, word(RawRecord.Kind.TAKEN, log));
    }

    void quiet(int subtask, String log) throws Exception {
        accept(subtask, word(RawRecord.Kind.QUIET, log));
    }

    void ready() throws Exception {
        for (int i = 0; i < subtasks.size(); i++) {
            ready(i);
        }
    }

    void ready(int subtask) throws Exception {
        accept(subtask, word(RawRecord.Kind.READY, ""));
    }

    /** A record of a log with a mark at noon of a day. Gives what was written back. */
    long reads(int subtask, String log, LocalDate day) throws Exception {
        long noon = micros(day);
        String text = "{\"id\":\"" + log + offsets.getOrDefault(log, 0L) + "\",\"v\":1,\"at\":" + noon + ",\"seen\":"
                + noon / 1000 + ",\"product\":\"A\"}";
        return reads(subtask, log, text);
    }

    /** A record that cannot be decoded. */
    long readsPoison(int subtask, String log) throws Exception {
        return reads(subtask, log, "poison");
    }

    private long reads(int subtask, String log, String text) throws Exception {
        RawRecord raw = new RawRecord();
        raw.log = log;
        raw.split = log + "/1.json";
        raw.offset = offsets.merge(log, 1L, Long::sum) - 1;
        raw.sequence = raw.offset;
        raw.bytes = text.getBytes(StandardCharsets.UTF_8);
        raw.length = raw.bytes.length;
        raw.wholeLength = raw.length;
        accept(subtask, raw);
        return raw.frontier;
    }

    /** Where a log is to be read on. */
    void readsOnFrom(String log, long offset) {
        offsets.put(log, offset);
    }

    /** Lets a barrier pass all subtasks. */
    Saved barrier(long checkpoint) throws Exception {
        List<OperatorSubtaskState> states = new ArrayList<>();
        for (OneInputStreamOperatorTestHarness<RawRecord, Change> harness : subtasks) {
            harness.prepareSnapshotPreBarrier(checkpoint);
            states.add(harness.snapshot(checkpoint, 0));
        }
        return new Saved(
                checkpoint,
                subtasks.size(),
                AbstractStreamOperatorTestHarness.repackageState(states.toArray(OperatorSubtaskState[]::new)));
    }

    void finish() throws Exception {
        for (OneInputStreamOperatorTestHarness<RawRecord, Change> harness : subtasks) {
            harness.getOperator().finish();
        }
    }

    /** The cuts said since the last call. */
    List<Cut> cuts() {
        List<Cut> cuts = new ArrayList<>();
        for (OneInputStreamOperatorTestHarness<RawRecord, Change> harness : subtasks) {
            for (Part part : taken(harness.getSideOutput(PARTS))) {
                if (part instanceof Part.Read read) {
                    cuts.add(read.cut());
                }
            }
        }
        return cuts;
    }

    /** The bounds said since the last call. */
    List<Bound> bounds() {
        List<Bound> bounds = new ArrayList<>();
        for (OneInputStreamOperatorTestHarness<RawRecord, Change> harness : subtasks) {
            bounds.addAll(taken(harness.getSideOutput(BOUNDS)));
        }
        return bounds;
    }

    static long micros(LocalDate day) {
        return Duration.ofDays(day.toEpochDay()).plusHours(12).toNanos() / 1000;
    }

    @Override
    public void close() throws Exception {
        for (OneInputStreamOperatorTestHarness<RawRecord, Change> harness : subtasks) {
            harness.getOperator().close();
        }
    }

    private static RawRecord word(RawRecord.Kind kind, String log) {
        RawRecord word = new RawRecord();
        word.kind = kind;
        word.log = log;
        return word;
    }

    private void accept(int subtask, RawRecord raw) throws Exception {
        subtasks.get(subtask).processElement(new StreamRecord<>(raw));
        changes.addAll(subtasks.get(subtask).extractOutputValues());
        subtasks.get(subtask).getOutput().clear();
    }

    private static <T> List<T> taken(@Nullable Queue<StreamRecord<T>> queue) {
        List<T> values = new ArrayList<>();
        if (queue != null) {
            queue.forEach(record -> values.add(record.getValue()));
            queue.clear();
        }
        return values;
    }
}
