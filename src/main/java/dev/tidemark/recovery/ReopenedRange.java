package dev.tidemark.recovery;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.publish.Standing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a restore with a larger lookback reopens: the partitions that are replaced by the truth that the state holds of
 * them. Those that a part of the logs has closed already count among them.
 *
 * @param from the first partition; {@code before}: the one after the last
 */
public record ReopenedRange(long from, long before) {

    /**
     * What a lookback reopens.
     *
     * @throws RecoveryException if the job's frontier is not known yet
     */
    public static ReopenedRange of(StateReach reach, Calendar calendar, int lookback) {
        if (reach.endedBefore() == Standing.NOWHERE) {
            throw new RecoveryException(
                    "the job has no frontier yet, so that no partition is closed: there is nothing to reopen");
        }
        long from = calendar.plus(reach.endedBefore(), -lookback);
        return new ReopenedRange(from, Math.max(from, Math.max(reach.closedBefore(), reach.completeFrom())));
    }

    /** Whether no partition is reopened. */
    public boolean isEmpty() {
        return from >= before;
    }

    /** How many partitions are reopened. */
    public long partitions(Calendar calendar) {
        return calendar.distance(from, before);
    }

    /**
     * What the state cannot answer, in the order of the partitions; none: all of it can be reopened. Replacing such a
     * partition would take out what the state does not hold. Raising {@code retain} brings nothing back; a rebuild does.
     *
     * @param notHeld of these partitions
     */
    public List<Obstacle> obstacles(StateReach reach, Calendar calendar, List<StateReach.NotHeld> notHeld) {
        Map<String, List<StateReach.NotHeld>> byPartition = new HashMap<>();
        notHeld.forEach(row -> byPartition
                .computeIfAbsent(row.partition(), key -> new ArrayList<>())
                .add(row));
        List<Obstacle> obstacles = new ArrayList<>();
        for (long partition = from; partition < before; partition = calendar.plus(partition, 1)) {
            String iso = calendar.iso(partition);
            if (partition < reach.retainedFrom()) {
                obstacles.add(new Obstacle(iso, Obstacle.Why.FORGOTTEN, "", 0));
            }
            for (Map.Entry<String, Long> log : reach.wholeFrom().entrySet()) {
                if (partition < log.getValue()) {
                    obstacles.add(new Obstacle(iso, Obstacle.Why.BEGUN_WITHIN, log.getKey(), 0));
                }
            }
            for (StateReach.NotHeld row : byPartition.getOrDefault(iso, List.of())) {
                obstacles.add(new Obstacle(iso, Obstacle.Why.NOT_HELD, row.reason(), row.rows()));
            }
        }
        return obstacles;
    }

    /** The obstacles in the way of a lookback, with what the warehouse knows. */
    public static List<Obstacle> obstacles(StateReach.Reader reader, Calendar calendar, int lookback) {
        StateReach reach = reader.reach();
        ReopenedRange range = of(reach, calendar, lookback);
        return range.isEmpty()
                ? List.of()
                : range.obstacles(
                        reach, calendar, reader.notHeld(calendar.iso(range.from), calendar.iso(range.before)));
    }
}
