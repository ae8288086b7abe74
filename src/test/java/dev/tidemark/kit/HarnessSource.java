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
    private final Map<String, List<SourceRecord>> logs;
    private final Set<String> hidden = new TreeSet<>();
    private boolean isRestless;

    public HarnessSource(History history) {
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
