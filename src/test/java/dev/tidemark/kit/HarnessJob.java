package dev.tidemark.kit;

import dev.tidemark.change.RawRecord;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.FrontierResets;
import dev.tidemark.job.JobPlan;
import dev.tidemark.pipeline.FlinkSettings;
import dev.tidemark.pipeline.Ports;
import dev.tidemark.pipeline.Topology;
import dev.tidemark.pipeline.Uids;
import dev.tidemark.source.SkippedFiles;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamEdge;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/**
 * The job as {@link Topology} wires it, on Flink's operator harnesses instead of a cluster: every subtask, key group,
 * serializer, barrier and restore is Flink's own, but what happens when is in the hands of the test.
 *
 * <p>The source is the only thing that is not there: records, and what a source says of its logs beside them, are handed to
 * the stamping operator, each log to one subtask that is drawn anew at each start, and how many of each log is the
 * position. Elements wait in one queue for each pair of subtasks, and are delivered in an order that is drawn at random.
 */
public final class HarnessJob implements AutoCloseable {

    /**
     * A completed checkpoint.
     *
     * @param positions how many records had been read, by log
     * @param parallelisms by uid
     * @param states by uid, of all subtasks together
     */
    public record Checkpoint(
            String submission,
            long id,
            Map<String, Integer> positions,
            Map<String, Integer> parallelisms,
            Map<String, OperatorSubtaskState> states) {}

    private final JobPlan plan;
    private final HarnessSource source;
    private final MemoryWarehouse warehouse;
    private final String submission;
    private final Random random;
    private FrontierResets resets = FrontierResets.NONE;
    private final RawRecord raw = new RawRecord();

    /** How many records of each log are read; of the logs that the job knows of. */
    private final Map<String, Integer> positions = new TreeMap<>();
    /** Who reads each log. */
    private final Map<String, Integer> readers = new HashMap<>();

    private final Set<String> quiet = new HashSet<>();
    private final List<Checkpoint> completed = new ArrayList<>();
    private long lastCheckpoint;
    private int parallelism;
    private List<HarnessVertex> vertices = List.of();

    private HarnessJob(
            JobPlan plan,
            HarnessSource source,
            MemoryWarehouse warehouse,
            String submission,
            int parallelism,
            Random random) {
        this.plan = plan;
        this.source = source;
        this.warehouse = warehouse;
        this.submission = submission;
        this.parallelism = parallelism;
        this.random = random;
    }

    /** Starts a new submission from nothing. */
    public static HarnessJob submit(
            JobPlan plan,
            HarnessSource source,
            MemoryWarehouse warehouse,
            String submission,
            int parallelism,
            Random random)
            throws Exception {
        HarnessJob job = new HarnessJob(plan, source, warehouse, submission, parallelism, random);
        job.deploy(null);
        return job;
    }

    /** Starts a new submission from a checkpoint of another. */
    public static HarnessJob submitFrom(
            Checkpoint checkpoint,
            JobPlan plan,
            HarnessSource source,
            MemoryWarehouse warehouse,
            String submission,
            int parallelism,
            Random random)
            throws Exception {
        HarnessJob job = new HarnessJob(plan, source, warehouse, submission, parallelism, random);
        job.lastCheckpoint = checkpoint.id();
        job.completed.add(checkpoint);
        job.deploy(checkpoint);
        return job;
    }

    /** Starts a new submission from a checkpoint of another, and sets frontiers back. */
    public static HarnessJob submitResetting(
            FrontierResets resets,
            Checkpoint checkpoint,
            JobPlan plan,
            HarnessSource source,
            MemoryWarehouse warehouse,
            String submission,
            int parallelism,
            Random random)
            throws Exception {
        HarnessJob job = new HarnessJob(plan, source, warehouse, submission, parallelism, random);
        job.resets = resets;
        job.lastCheckpoint = checkpoint.id();
        job.completed.add(checkpoint);
        job.deploy(checkpoint);
        return job;
    }

    // -------------------------------------------------------------------------------------------------- running

    /** Reads some records, or as many as there are, of logs drawn at random, while elements wander on at random. */
    public void read(int count) throws Exception {
        Map<String, Integer> shares = new TreeMap<>();
        for (int left = count; left > 0 && !isAtEnd(); left--) {
            List<String> unread =
                    positions.keySet().stream().filter(log -> !isRead(log)).toList();
            String log = unread.size() == 1 ? unread.get(0) : pick(unread, shares);
            readNext(log);
            if (isRead(log) && random.nextBoolean()) {
                becomeQuiet(log);
            }
        }
    }

    private boolean isRead(String log) {
        return Objects.requireNonNull(positions.get(log)) == source.records(log).size();
    }

    /** Reads so many records of a log, while elements wander on at random. */
    public void read(String log, int count) throws Exception {
        for (int left = count; left > 0; left--) {
            readNext(log);
        }
    }

    /** Some logs are read fast, some slowly and some not at all if another can be. */
    private String pick(List<String> unread, Map<String, Integer> shares) {
        List<String> lots = new ArrayList<>();
        for (String log : unread) {
            int share =
                    shares.computeIfAbsent(log, name -> List.of(0, 0, 1, 1, 6).get(random.nextInt(5)));
            lots.addAll(Collections.nCopies(share, log));
        }
        List<String> drawn = lots.isEmpty() ? unread : lots;
        return drawn.get(random.nextInt(drawn.size()));
    }

    private void readNext(String log) throws Exception {
        int position = Objects.requireNonNull(positions.get(log));
        SourceRecord record = source.records(log).get(position);
        raw.kind = RawRecord.Kind.RECORD;
        raw.log = log;
        raw.split = record.split();
        raw.offset = record.offset();
        raw.sequence = position;
        raw.bytes = record.payload();
        raw.length = raw.bytes.length;
        raw.wholeLength = raw.length;
        Instant timestamp = record.timestamp();
        raw.timestamp = timestamp == null ? RawRecord.UNKNOWN : Values.micros(timestamp);
        positions.put(log, position + 1);
        quiet.remove(log);
        reader(log).accept(raw);
        wander(random.nextInt(8));
    }

    /** The log has been read to its end for long: nothing waits for it any more until it says something. */
    public void becomeQuiet(String log) throws Exception {
        Integer position = positions.get(log);
        if (position != null && quiet.add(log)) {
            if (position < source.records(log).size()) {
                source.overtake();
            }
            say(RawRecord.Kind.QUIET, log, reader(log));
        }
    }

    /** A log has come into being, and a reader takes it up. */
    public void discover(String log) throws Exception {
        if (source.isHidden(log)) {
            source.show(log);
            source.overtake();
            take(log);
        }
    }

    private HarnessSubtask reader(String log) {
        return vertex(Uids.STAMP).subtasks().get(Objects.requireNonNull(readers.get(log)));
    }

    private void take(String log) throws Exception {
        boolean begins = positions.putIfAbsent(log, 0) == null;
        readers.put(log, random.nextInt(vertex(Uids.STAMP).subtasks().size()));
        RawRecord taken = new RawRecord();
        taken.kind = RawRecord.Kind.TAKEN;
        taken.log = log;
        taken.begins = begins;
        int position = positions.get(log);
        if (position > 0) {
            SourceRecord last = source.records(log).get(position - 1);
            taken.split = last.split();
            taken.offset = last.offset() + 1;
        } else if (!begins) {
            // the reader has opened a file by now, and found nothing in it
            taken.split = source.firstSplit(log);
        }
        reader(log).accept(taken);
    }

    private static void say(RawRecord.Kind kind, String log, HarnessSubtask stamp) throws Exception {
        RawRecord word = new RawRecord();
        word.kind = kind;
        word.log = log;
        stamp.accept(word);
    }

    /** Whether all records of the logs that the job knows of are read. */
    public boolean isAtEnd() {
        return positions.entrySet().stream()
                .allMatch(entry ->
                        entry.getValue() == source.records(entry.getKey()).size());
    }

    /** A checkpoint completes, and everybody hears of it. */
    public void checkpoint() throws Exception {
        checkpointUnheard();
        for (HarnessVertex vertex : shuffledVertices()) {
            for (HarnessSubtask subtask : vertex.subtasks()) {
                subtask.harness().notifyOfCompletedCheckpoint(lastCheckpoint);
            }
        }
    }

    /** A checkpoint completes, and nobody hears of it. */
    public void checkpointUnheard() throws Exception {
        long id = ++lastCheckpoint;
        Map<String, List<OperatorSubtaskState>> states = new HashMap<>();
        passBarrier(id, Integer.MAX_VALUE, states);
        Map<String, OperatorSubtaskState> whole = new HashMap<>();
        Map<String, Integer> parallelisms = new HashMap<>();
        for (Map.Entry<String, List<OperatorSubtaskState>> entry : states.entrySet()) {
            parallelisms.put(entry.getKey(), entry.getValue().size());
            whole.put(
                    entry.getKey(),
                    AbstractStreamOperatorTestHarness.repackageState(
                            entry.getValue().toArray(OperatorSubtaskState[]::new)));
        }
        completed.add(new Checkpoint(submission, id, Map.copyOf(positions), parallelisms, whole));
    }

    /** A checkpoint is aborted when its barrier has passed so many subtasks. */
    public void abortCheckpoint(int reach) throws Exception {
        long id = ++lastCheckpoint;
        passBarrier(id, reach, new HashMap<>());
        source.forgetBarrier();
        for (HarnessVertex vertex : vertices) {
            for (HarnessSubtask subtask : vertex.subtasks()) {
                subtask.harness().getOperator().notifyCheckpointAborted(id);
            }
        }
    }

    /** The end of the input: all subtasks finish. */
    public void finish() throws Exception {
        for (String log : source.logs()) {
            becomeQuiet(log);
        }
        source.passBarrier(submission, lastCheckpoint + 1, positions, quiet);
        for (HarnessVertex vertex : vertices) {
            vertex.drain(random);
            for (HarnessSubtask subtask : vertex.shuffledSubtasks(random)) {
                subtask.harness().getOperator().finish();
            }
        }
    }

    /** Flink's last watermark comes to every subtask, out of the blue. */
    public void sendMaxWatermark() throws Exception {
        for (HarnessVertex vertex : vertices) {
            for (HarnessSubtask subtask : vertex.subtasks()) {
                subtask.processWatermark(Watermark.MAX_WATERMARK);
            }
        }
    }

    /** All tasks fail, and Flink restarts them from the last completed checkpoint; without one, from nothing. */
    public void crash(int newParallelism) throws Exception {
        close();
        parallelism = newParallelism;
        Checkpoint last = completed.isEmpty() ? null : completed.get(completed.size() - 1);
        deploy(last);
    }

    /** Completed checkpoints, the one that this submission was started from first. */
    public List<Checkpoint> completed() {
        return List.copyOf(completed);
    }

    /** How many subtasks there are. */
    public int subtasks() {
        return vertices.stream().mapToInt(vertex -> vertex.subtasks().size()).sum();
    }

    /** Entries in the keyed state and timers of all subtasks of an operator. */
    public long stateEntries(String uid) {
        return vertex(uid).subtasks().stream()
                .mapToLong(HarnessSubtask::stateEntries)
                .sum();
    }

    @Override
    public void close() throws Exception {
        List<HarnessVertex> running = vertices;
        vertices = List.of();
        for (HarnessVertex vertex : running) {
            vertex.subtasks().forEach(HarnessSubtask::cut);
        }
        for (HarnessVertex vertex : running) {
            for (HarnessSubtask subtask : vertex.subtasks()) {
                subtask.close();
            }
        }
    }

    // ------------------------------------------------------------------------------------------------- machinery

    private void passBarrier(long id, int reach, Map<String, List<OperatorSubtaskState>> states) throws Exception {
        int passed = 0;
        source.passBarrier(submission, id, positions, quiet);
        for (HarnessVertex vertex : vertices) {
            vertex.drain(random);
            for (HarnessSubtask subtask : vertex.shuffledSubtasks(random)) {
                if (passed++ == reach) {
                    return;
                }
                subtask.harness().prepareSnapshotPreBarrier(id);
                states.computeIfAbsent(vertex.uid(), key -> new ArrayList<>())
                        .add(subtask.harness().snapshot(id, 0));
            }
        }
    }

    private void wander(int deliveries) throws Exception {
        for (int i = 0; i < deliveries; i++) {
            HarnessVertex vertex = vertices.get(random.nextInt(vertices.size()));
            vertex.subtasks().get(random.nextInt(vertex.subtasks().size())).takeOne(random);
        }
    }

    private HarnessVertex vertex(String uid) {
        return vertices.stream()
                .filter(vertex -> vertex.uid().equals(uid))
                .findFirst()
                .orElseThrow();
    }

    private List<HarnessVertex> shuffledVertices() {
        List<HarnessVertex> shuffled = new ArrayList<>(vertices);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }

    private void deploy(@Nullable Checkpoint from) throws Exception {
        StreamExecutionEnvironment environment = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
        FlinkSettings.require(environment, Duration.ofSeconds(10));
        Ports ports = new Ports(
                new Decoders(),
                warehouse.stages(),
                warehouse.warehouses(),
                warehouse.publishedPositions(),
                new NoSkippedFiles(),
                new MemoryStartPositions());
        new Topology(plan, ports, submission, Map.of(), resets).build(environment);
        StreamGraph graph = environment.getStreamGraph(true);
        Map<Integer, HarnessVertex> byNode = new HashMap<>();
        List<HarnessVertex> deployed = new ArrayList<>();
        for (StreamNode node : graph.getStreamNodesSortedTopologicallyFromSources()) {
            if (!Uids.SOURCE.equals(node.getTransformationUID())) {
                HarnessVertex vertex = new HarnessVertex(node, environment.getMaxParallelism());
                byNode.put(node.getId(), vertex);
                deployed.add(vertex);
            }
        }
        for (StreamNode node : graph.getStreamNodes()) {
            for (StreamEdge edge : node.getOutEdges()) {
                HarnessVertex source = byNode.get(edge.getSourceId());
                if (source != null) {
                    source.connect(edge, node, Objects.requireNonNull(byNode.get(edge.getTargetId())));
                }
            }
        }
        vertices = deployed;
        positions.clear();
        positions.putAll(from == null ? Map.of() : from.positions());
        quiet.clear();
        for (HarnessVertex vertex : shuffledVertices()) {
            vertex.start(from);
        }
        for (String log : source.logs()) {
            take(log);
        }
        for (HarnessSubtask stamp : vertex(Uids.STAMP).subtasks()) {
            say(RawRecord.Kind.READY, "", stamp);
        }
    }

    /** Nothing is skipped. */
    private static final class NoSkippedFiles implements SkippedFiles {
        private static final long serialVersionUID = 1L;

        @Override
        public void skipped(String log, String path) {}
    }
}
