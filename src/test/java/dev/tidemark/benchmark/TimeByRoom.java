package dev.tidemark.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where the processor time of a recorded run went: each sample counts for the room of the innermost method that is
 * Tidemark's, and for Flink below it if it called Flink from there.
 */
final class TimeByRoom {
    private static final String OWN = "dev.tidemark.";
    private static final String FLINK = "org.apache.flink.";
    private static final double LEAST_SHARE = 0.01;

    private final Map<String, Long> samples = new HashMap<>();
    private Duration pauses = Duration.ZERO;
    private long total;

    private TimeByRoom() {}

    /** The shares, greatest first, one a line. */
    static String of(Path recording) throws IOException {
        TimeByRoom time = new TimeByRoom();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                time.take(file.readEvent());
            }
        }
        return time.text();
    }

    private void take(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample" -> {
                if (event.getStackTrace() != null) {
                    samples.merge(place(event.getStackTrace().getFrames()), 1L, Long::sum);
                    total++;
                }
            }
            case "jdk.GarbageCollection" -> pauses = pauses.plus(event.getDuration("sumOfPauses"));
            default -> {}
        }
    }

    private static String place(List<RecordedFrame> innermostFirst) {
        boolean flink = false;
        for (RecordedFrame frame : innermostFirst) {
            String type = frame.getMethod().getType().getName();
            if (type.startsWith(OWN)) {
                String inside = type.substring(OWN.length());
                String room = inside.substring(0, Math.max(0, inside.indexOf('.')));
                return flink ? room + ", in Flink" : room;
            }
            flink |= type.startsWith(FLINK);
        }
        return flink ? "Flink alone" : "other";
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        samples.entrySet().stream()
                .filter(each -> each.getValue() >= LEAST_SHARE * total)
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .forEach(each -> text.append(String.format(
                        Locale.ROOT, "  %4.0f %%  %s%n", 100.0 * each.getValue() / total, each.getKey())));
        text.append(String.format(
                Locale.ROOT,
                "  of %,d samples; besides, garbage collections paused it for %.1f s%n",
                total,
                pauses.toMillis() / 1e3));
        return text.toString();
    }
}
