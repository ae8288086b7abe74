package dev.tidemark.kit;

import dev.tidemark.kit.History.LogFile;
import dev.tidemark.kit.RandomChanges.Line;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/** Histories drawn at random from a seed, and their reduction to what matters. */
public final class Histories {
    private static final List<String> PATHS =
            List.of("0.json", "B.json", "a.json", "a/part-0.json", "a/part-1.json", "a0.json", "b.json");

    private static final List<String> FOLDERS = List.of("b", "B", "a b", "~", "b0");

    private Histories() {}

    /** A history in which everything can happen while all promises hold. */
    public static History random(long seed) {
        return random(seed, Profile.everything());
    }

    /** The history of this seed and profile, always the same. */
    public static History random(long seed, Profile profile) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        RandomPlan drawn = new RandomPlan(random, profile);
        List<List<Line>> logs = new RandomChanges(random, drawn, profile).lines();
        List<LogFile> files = new ArrayList<>();
        for (int log = 0; log < logs.size(); log++) {
            List<Line> lines = logs.get(log);
            switch (profile.layout()) {
                case SOURCE -> files.addAll(files(random, "", lines));
                case FOLDERS -> files.addAll(files(random, FOLDERS.get(log) + "/", lines));
                case PARTITIONS ->
                    files.add(new LogFile(
                            "orders-" + log,
                            lines.stream().map(Line::bytes).toList(),
                            lines.stream().map(Line::timestamp).toList()));
            }
        }
        History history = new History("seed " + seed + ", " + profile, drawn.plan(), files);
        return profile.beyondMemory() ? history : withinMemory(history);
    }

    /** Cuts a log into files. */
    private static List<LogFile> files(Random random, String folder, List<Line> lines) {
        List<LogFile> files = new ArrayList<>();
        int next = 0;
        int last = random.nextInt(PATHS.size());
        for (int i = 0; i <= last; i++) {
            int end = i == last ? lines.size() : next + random.nextInt(lines.size() - next + 1);
            List<byte[]> file = new ArrayList<>();
            for (; next < end; next++) {
                if (random.nextInt(20) == 0) {
                    file.add((random.nextBoolean() ? "" : " \t").getBytes(StandardCharsets.UTF_8));
                }
                file.add(lines.get(next).bytes());
            }
            files.add(new LogFile(folder + PATHS.get(i), file));
        }
        return files;
    }

    /** Leaves out the records that take an id beyond memory. */
    private static History withinMemory(History history) {
        while (true) {
            Oracle oracle = new Oracle(history.plan());
            List<SourceRecord> records = history.records();
            BitSet kept = new BitSet();
            for (int i = 0; i < records.size(); i++) {
                oracle.accept(records.get(i));
                kept.set(i, !oracle.isLastBeyondMemory());
            }
            if (kept.cardinality() == records.size()) {
                return history;
            }
            history = history.keeping(history.name(), kept::get);
        }
    }

    /**
     * A smallest part of the history that still fails: without any one of its records it would not.
     *
     * @param fails true of the history
     */
    public static History shrink(History history, Predicate<History> fails) {
        String name = "shrunk from " + history.name();
        History smallest = history;
        for (int chunk = Math.max(1, history.records().size() / 2); chunk > 0; ) {
            int from = 0;
            boolean smaller = false;
            while (from < smallest.records().size()) {
                int first = from;
                int end = from + chunk;
                History candidate = smallest.keeping(name, index -> index < first || index >= end);
                if (fails.test(candidate)) {
                    smallest = candidate;
                    smaller = true;
                } else {
                    from = end;
                }
            }
            chunk = chunk == 1 && smaller ? 1 : chunk / 2;
        }
        return smallest;
    }
}
