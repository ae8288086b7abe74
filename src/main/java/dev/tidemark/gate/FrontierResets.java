package dev.tidemark.gate;

import java.io.Serializable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The frontiers that a person sets back at the start of a submission, against a clock that had moved them too far. Immutable.
 *
 * <p>A reset acts on the restored state and on nothing else: the log's h is the given instant, and no mark is pending. What
 * was closed, forgotten or published under the frontier before stays so.
 */
public final class FrontierResets implements Serializable {
    private static final long serialVersionUID = 1L;

    /** No frontier is reset. */
    public static final FrontierResets NONE = new FrontierResets(Map.of());

    /** What people call the one log of a source of files, whose name is empty. */
    public static final String THE_FILES = "files";

    @SuppressWarnings("serial") // a TreeMap
    private final SortedMap<String, Long> instants;

    private FrontierResets(Map<String, Long> instants) {
        this.instants = new TreeMap<>(instants);
    }

    /** Resets to instants, by log, in microseconds. */
    public static FrontierResets of(Map<String, Long> instants) {
        return new FrontierResets(instants);
    }

    public boolean isEmpty() {
        return instants.isEmpty();
    }

    /** The instants by log, in microseconds. */
    public Map<String, Long> instants() {
        return new TreeMap<>(instants);
    }

    /**
     * Why they cannot be done, and the way out; null: they can.
     *
     * @param frontiers the logs of the state and their h, in microseconds; {@link Frontier#UNKNOWN} without one
     */
    public @Nullable String refusal(Map<String, Long> frontiers) {
        for (Map.Entry<String, Long> reset : instants.entrySet()) {
            String log = shown(reset.getKey());
            Long h = frontiers.get(reset.getKey());
            if (h == null) {
                return "the frontier of the log " + log + " cannot be reset, because the state holds no such log; "
                        + (frontiers.isEmpty()
                                ? "it holds none: a frontier is reset in the state that is restored"
                                : "its logs are: "
                                        + new TreeMap<>(frontiers)
                                                .keySet().stream()
                                                        .map(FrontierResets::shown)
                                                        .collect(Collectors.joining(", ")));
            }
            if (h == Frontier.UNKNOWN || reset.getValue() >= h) {
                return "the frontier of the log " + log + " stands at "
                        + (h == Frontier.UNKNOWN ? "no instant yet" : instant(h)) + ", and a reset sets it back: "
                        + instant(reset.getValue()) + " is not before that; records alone move a frontier on";
            }
        }
        return null;
    }

    /** A log as people name it. */
    public static String shown(String log) {
        return log.isEmpty() ? THE_FILES : log;
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
