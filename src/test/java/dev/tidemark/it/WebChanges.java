package dev.tidemark.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A generated course of events that are told, corrected (other devices, users, platforms, times and days) and withdrawn, in
 * a file a day. Many lie around midnight; some come too late.
 */
final class WebChanges {
    static final String SCHEMA = """
            {"type": "record", "name": "WebEvent", "fields": [
              {"name": "event_id", "type": "string"},
              {"name": "device_id", "type": "string"},
              {"name": "user_id", "type": ["null", "string"], "default": null},
              {"name": "platform", "type": ["null", "string"], "default": null},
              {"name": "op", "type": "string"},
              {"name": "event_time", "type": {"type": "long", "logicalType": "timestamp-micros"}},
              {"name": "ingested_at", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}
            """;
    private static final Instant BEGINNING = Instant.parse("2026-03-19T00:00:00Z");
    private static final long DAY = 86_400;

    private final Random random;
    private final int lookback;
    private final Map<String, Long> touched = new HashMap<>();
    private int ids;

    /**
     * @param lookback of the job: of what was touched longer ago nothing is told any more, so that nothing is forgotten
     */
    WebChanges(long seed, int lookback) {
        this.random = new Random(seed);
        this.lookback = lookback;
    }

    /** Writes a file for each of so many days. */
    List<Path> write(Path folder, int days, int recordsADay) throws IOException {
        Files.createDirectories(folder);
        List<Path> files = new ArrayList<>();
        for (int day = 0; day < days; day++) {
            StringBuilder lines = new StringBuilder();
            for (int i = 0; i < recordsADay; i++) {
                long now = day * DAY + (i * DAY + random.nextInt((int) DAY)) / recordsADay;
                lines.append(line(now, day)).append('\n');
            }
            LocalDate date = LocalDate.ofInstant(BEGINNING, ZoneOffset.UTC).plusDays(day);
            files.add(Files.writeString(folder.resolve(date + ".jsonl"), lines));
        }
        return files;
    }

    private String line(long now, int day) {
        List<String> recent = touched.entrySet().stream()
                .filter(entry -> entry.getValue() >= day - lookback)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        String id =
                recent.isEmpty() || random.nextInt(10) < 7 ? "e" + ids++ : recent.get(random.nextInt(recent.size()));
        touched.put(id, (long) day);
        boolean isDelete = random.nextInt(10) == 0;
        String user =
                random.nextInt(5) < 3 ? "null" : "\"" + (random.nextInt(10) == 0 ? "" : "x" + random.nextInt(9)) + "\"";
        String platform = random.nextInt(6) == 0 ? "null" : random.nextInt(6) == 0 ? "\"app\"" : "\"web\"";
        return "{\"event_id\": \"" + id + "\", \"device_id\": \"x" + random.nextInt(9) + "\", \"user_id\": " + user
                + ", \"platform\": " + platform + ", \"op\": \"" + (isDelete ? "d" : "u") + "\", \"event_time\": \""
                + BEGINNING.plusSeconds(happened(now)) + "\", \"ingested_at\": \"" + BEGINNING.plusSeconds(now) + "\"}";
    }

    private long happened(long now) {
        long midnight = now - now % DAY - random.nextInt(lookback + 2) * DAY;
        long happened = switch (random.nextInt(3)) {
            case 0 -> midnight + random.nextInt(1500);
            case 1 -> midnight - 1 - random.nextInt(1500);
            default -> now - random.nextInt((int) DAY);
        };
        return Math.min(happened, now);
    }
}
