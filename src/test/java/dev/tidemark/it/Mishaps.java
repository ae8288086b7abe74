package dev.tidemark.it;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.job.JobPlan;
import dev.tidemark.publish.Observation;
import dev.tidemark.publish.Part;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.StagedPart;
import dev.tidemark.publish.Warehouse;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes a job fail now and then, at random places and a limited number of times: while reading, while staging (before and
 * after the rows are durable), before a publication and between its commit and the acknowledgement. Slows reading down, so
 * that there are checkpoints in between. The counts live in the test's JVM, across restarts of the job.
 */
final class Mishaps {
    private static final Map<String, Mishaps> ALL = new ConcurrentHashMap<>();
    private static final Mishaps NONE = new Mishaps(0, 0, Integer.MAX_VALUE);
    private static final Map<String, Integer> HAPPENED = new ConcurrentHashMap<>();

    private final Random random;
    private final AtomicInteger left;
    private final int pauseEvery;
    private final AtomicInteger decoded = new AtomicInteger();

    private Mishaps(long seed, int failures, int pauseEvery) {
        this.random = new Random(seed);
        this.left = new AtomicInteger(failures);
        this.pauseEvery = pauseEvery;
    }

    /** Registers the mishaps of a job. */
    static void plan(String job, long seed, int failures, int pauseEvery) {
        ALL.put(job, new Mishaps(seed, failures, pauseEvery));
    }

    /** What has happened so far, and how often. */
    static Map<String, Integer> happened() {
        return Map.copyOf(HAPPENED);
    }

    /** Only slows reading down: a pause after so many records. */
    static void slow(String job, int pauseEvery) {
        ALL.put(job, new Mishaps(0, 0, pauseEvery));
    }

    /** How many records a registered job has decoded, again and again if it was restarted. */
    static int decoded(String job) {
        return of(job).decoded.get();
    }

    static RecordDecoder.Factory reading(RecordDecoder.Factory decoders) {
        return plan -> new FailingDecoder(decoders.create(plan), of(plan.job()));
    }

    static Stage.Factory staging(JobPlan plan, Stage.Factory stages) {
        String job = plan.job();
        return (submission, subtask) -> new FailingStage(stages.open(submission, subtask), of(job));
    }

    static Warehouse.Factory publishing(JobPlan plan, Warehouse.Factory warehouses) {
        String job = plan.job();
        return () -> new FailingWarehouse(warehouses.open(), of(job));
    }

    private static Mishaps of(String job) {
        return ALL.getOrDefault(job, NONE);
    }

    private void perhaps(int oneIn, String what) {
        boolean now;
        synchronized (random) {
            now = random.nextInt(oneIn) == 0;
        }
        if (now && left.getAndUpdate(it -> Math.max(0, it - 1)) > 0) {
            HAPPENED.merge(what, 1, Integer::sum);
            throw new AssertionError("a mishap " + what);
        }
    }

    private record FailingDecoder(RecordDecoder decoder, Mishaps mishaps) implements RecordDecoder {
        @Override
        public void decode(RawRecord raw, Draft draft) {
            mishaps.perhaps(150, "while reading");
            if (raw.sequence % mishaps.pauseEvery == 0) {
                try {
                    Thread.sleep(4);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            decoder.decode(raw, draft);
            mishaps.decoded.incrementAndGet();
        }
    }

    private record FailingStage(Stage stage, Mishaps mishaps) implements Stage {
        @Override
        public void add(Part part) {
            stage.add(part);
        }

        @Override
        public StagedPart seal(long checkpoint) {
            mishaps.perhaps(25, "before staging");
            StagedPart part = stage.seal(checkpoint);
            mishaps.perhaps(25, "after staging");
            return part;
        }

        @Override
        public void close() throws Exception {
            stage.close();
        }
    }

    private record FailingWarehouse(Warehouse warehouse, Mishaps mishaps) implements Warehouse {
        @Override
        public Seat register(String submission, String flinkJobId) {
            return warehouse.register(submission, flinkJobId);
        }

        @Override
        public Outcome publish(Seat seat, List<StagedPart> parts) {
            mishaps.perhaps(8, "before the publication");
            Outcome outcome = warehouse.publish(seat, parts);
            mishaps.perhaps(8, "after the commit, before the acknowledgement");
            return outcome;
        }

        @Override
        public void conclude(Seat seat) {
            warehouse.conclude(seat);
        }

        @Override
        public Observation observe() {
            return warehouse.observe();
        }

        @Override
        public void close() {
            warehouse.close();
        }
    }
}
