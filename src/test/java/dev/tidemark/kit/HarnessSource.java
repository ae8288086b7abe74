package dev.tidemark.kit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/** The logs that a job on harnesses reads, which may come into being while it runs. It outlives submissions. */
public final class HarnessSource {
    private final History history;
    private final Map<String, List<SourceRecord>> logs;
    private final Set<String> hidden = new TreeSet<>();
    private final List<Cut> cuts = new ArrayList<>();
    private boolean isRestless;

    /** Where the logs that a job knew of stood at a barrier, and which of them the bounds had to wait for. */
    private record Cut(String submission, long checkpoint, Map<String, Integer> positions, Set<String> active) {}

    public HarnessSource(History history) {
        this.history = history;
        this.logs = new LinkedHashMap<>(history.logs());
    }

    /** The names of the logs that exist. */
    public List<String> logs() {
        List<String> names = new ArrayList<>(logs.keySet());
        names.removeAll(hidden);
        return names;
    }

    /** All names, of logs that will come into being too. */
    List<String> allLogs() {
        return List.copyOf(logs.keySet());
    }

    public List<SourceRecord> records(String log) {
        return Objects.requireNonNull(logs.get(log));
    }

    /** Where a log begins that holds no record. */
    String firstSplit(String log) {
        return history.firstSplit(log);
    }

    /** The log does not exist yet. */
    void hide(String log) {
        hidden.add(log);
    }

    boolean isHidden(String log) {
        return hidden.contains(log);
    }

    void show(String log) {
        hidden.remove(log);
    }

    void passBarrier(String submission, long checkpoint, Map<String, Integer> positions, Set<String> quiet) {
        Set<String> active = new TreeSet<>(positions.keySet());
        active.removeAll(quiet);
        cuts.add(new Cut(submission, checkpoint, Map.copyOf(positions), active));
    }

    /** The checkpoint of the last barrier has failed: what is published under its number was cut at another one. */
    void forgetBarrier() {
        cuts.remove(cuts.size() - 1);
    }

    /**
     * The logs that the bounds of a publication do not wait for. What is published at the end of the input has the number of
     * a checkpoint that may never come.
     */
    Set<String> idle(String submission, long checkpoint, Map<String, Integer> positions) {
        List<Cut> there = cuts.stream()
                .filter(cut -> cut.submission().equals(submission)
                        && cut.positions().entrySet().containsAll(positions.entrySet()))
                .toList();
        if (there.isEmpty()) {
            throw new IllegalStateException("no barrier of " + submission + " was at " + positions + " but " + cuts);
        }
        // after a crash at the end of the input another checkpoint may bear the number; the first has published
        Cut chosen = there.stream()
                .filter(cut -> cut.checkpoint() == checkpoint)
                .findFirst()
                .orElse(there.get(there.size() - 1));
        Set<String> idle = new TreeSet<>(logs.keySet());
        idle.removeAll(chosen.active());
        return idle;
    }

    /** There is a log that has more to say, and that the bounds do not wait for. */
    void overtake() {
        isRestless = true;
    }

    /**
     * Whether there was a log with more to say that the bounds did not wait for: only then does it depend on checkpoints what
     * is late.
     */
    public boolean isRestless() {
        return isRestless;
    }
}
