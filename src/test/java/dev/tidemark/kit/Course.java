package dev.tidemark.kit;

import dev.tidemark.kit.HarnessJob.Checkpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * What befalls a job from its submission to the end of its input: when it reads, when checkpoints complete or fail, when
 * it crashes or is submitted anew. The same course can be run over any history.
 *
 * @param seed of the order in which elements are delivered
 */
public record Course(long seed, int parallelism, List<Step> steps) {
    public Course {
        steps = List.copyOf(steps);
    }

    /** One thing that happens. */
    public sealed interface Step {
        /** Records are read. */
        record Read(int records) implements Step {}

        /** A checkpoint completes. */
        record Complete() implements Step {}

        /** A checkpoint completes, but the operators never hear of it. */
        record CompleteUnheard() implements Step {}

        /** A checkpoint is aborted after its barrier has passed some subtasks. */
        record Abort(int reach) implements Step {}

        /** A log is not waited for any more, whether it has something to say or not. */
        record Quiet(int log) implements Step {}

        /** A log that was not there before comes into being. */
        record Appear(int log) implements Step {}

        /** Flink's last watermark comes along. */
        record Watermark() implements Step {}

        /** All subtasks fail and are restored. */
        record Crash(int parallelism) implements Step {}

        /** A new submission is started from a retained checkpoint: 0 is the newest; beyond the oldest, from nothing. */
        record Resubmit(int back, int parallelism) implements Step {}

        /** The input is read to its end and all subtasks finish, but before the last checkpoint all of them fail. */
        record FinishAndCrash(int parallelism) implements Step {}
    }

    /** A course in which everything happens, for a history of so many records. */
    public static Course random(long seed, int records) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        List<Step> steps = new ArrayList<>();
        int count = 3 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            steps.add(new Step.Read(random.nextInt(2 * records / count + 2)));
            steps.add(
                    switch (random.nextInt(20)) {
                        case 0, 1, 2 -> new Step.Abort(random.nextInt(16));
                        case 3, 4 -> new Step.CompleteUnheard();
                        case 5, 6 -> new Step.Crash(parallelism(random));
                        case 7 -> new Step.Resubmit(random.nextInt(4), parallelism(random));
                        case 8 -> new Step.Watermark();
                        case 9 -> i > count / 2 ? new Step.FinishAndCrash(parallelism(random)) : new Step.Complete();
                        default -> new Step.Complete();
                    });
        }
        return new Course(seed, parallelism(random), steps);
    }

    /** The same course with logs that are idle for a while, or come into being when others have long been read. */
    public Course restless() {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L + 2);
        List<Step> more = new ArrayList<>(steps);
        for (int i = 1 + random.nextInt(4); i >= 0; i--) {
            int log = random.nextInt(5);
            more.add(
                    random.nextInt(more.size() + 1),
                    random.nextInt(3) == 0 ? new Step.Appear(log) : new Step.Quiet(log));
        }
        return new Course(seed, parallelism, more);
    }

    private static int parallelism(Random random) {
        int dice = random.nextInt(10);
        return dice < 4 ? 1 : dice < 7 ? 2 : dice < 9 ? 3 : 4;
    }

    /**
     * Runs a history to its end in a warehouse, which may hold publications of earlier submissions.
     *
     * @return the source as it was at the end
     */
    public HarnessSource run(String name, History history, MemoryWarehouse warehouse) throws Exception {
        return new Run(name, history, warehouse).run();
    }

    /** The course with as few steps as still fail. */
    public Course shrink(Predicate<Course> fails) {
        Course smallest = this;
        for (int i = 0; i < smallest.steps.size(); ) {
            List<Step> fewer = new ArrayList<>(smallest.steps);
            fewer.remove(i);
            Course candidate = new Course(seed, parallelism, fewer);
            if (fails.test(candidate)) {
                smallest = candidate;
            } else {
                i++;
            }
        }
        Course single = new Course(seed, 1, smallest.steps);
        return fails.test(single) ? single : smallest;
    }

    private final class Run {
        private final String name;
        private final History history;
        private final HarnessSource source;
        private final MemoryWarehouse warehouse;
        private final Random random = new Random(seed);
        private final List<Checkpoint> retained = new ArrayList<>();
        private int submissions;
        private HarnessJob job;

        Run(String name, History history, MemoryWarehouse warehouse) throws Exception {
            this.name = name;
            this.history = history;
            this.source = new HarnessSource(history);
            for (Step step : steps) {
                if (step instanceof Step.Appear appear && source.logs().size() > 1) {
                    source.hide(log(appear.log()));
                }
            }
            this.warehouse = warehouse;
            this.job = HarnessJob.submit(history.plan(), source, warehouse, nextName(), parallelism, random);
        }

        private String nextName() {
            return name + "-" + submissions++;
        }

        private String log(int index) {
            List<String> logs = source.allLogs();
            return logs.get(index % logs.size());
        }

        HarnessSource run() throws Exception {
            try {
                for (Step step : steps) {
                    take(step);
                }
                for (String log : source.allLogs()) {
                    job.discover(log);
                }
                job.read(Integer.MAX_VALUE);
                job.finish();
                job.checkpoint();
                return source;
            } finally {
                job.close();
            }
        }

        private void take(Step step) throws Exception {
            if (step instanceof Step.Read read) {
                job.read(read.records());
            } else if (step instanceof Step.Complete) {
                job.checkpoint();
            } else if (step instanceof Step.CompleteUnheard) {
                job.checkpointUnheard();
            } else if (step instanceof Step.Abort abort) {
                job.abortCheckpoint(abort.reach());
            } else if (step instanceof Step.Quiet quiet) {
                job.becomeQuiet(log(quiet.log()));
            } else if (step instanceof Step.Appear appear) {
                job.discover(log(appear.log()));
            } else if (step instanceof Step.Watermark) {
                job.sendMaxWatermark();
            } else if (step instanceof Step.Crash crash) {
                job.crash(crash.parallelism());
            } else if (step instanceof Step.Resubmit resubmit) {
                resubmit(resubmit);
            } else if (step instanceof Step.FinishAndCrash crash) {
                job.read(Integer.MAX_VALUE);
                job.finish();
                job.crash(crash.parallelism());
            }
        }

        private void resubmit(Step.Resubmit step) throws Exception {
            job.close();
            for (Checkpoint checkpoint : job.completed()) {
                if (!retained.contains(checkpoint)) {
                    retained.add(checkpoint);
                }
            }
            int chosen = retained.size() - 1 - step.back();
            job = chosen < 0
                    ? HarnessJob.submit(history.plan(), source, warehouse, nextName(), step.parallelism(), random)
                    : HarnessJob.submitFrom(
                            retained.get(chosen),
                            history.plan(),
                            source,
                            warehouse,
                            nextName(),
                            step.parallelism(),
                            random);
        }
    }
}
