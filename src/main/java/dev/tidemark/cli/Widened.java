package dev.tidemark.cli;

import dev.tidemark.job.JobPlan;
import dev.tidemark.recovery.Obstacle;
import dev.tidemark.recovery.ReopenedRange;
import dev.tidemark.recovery.StateReach;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Whether a restore with a larger lookback can bring back what it opens again. */
final class Widened {
    private Widened() {}

    /** @throws CommandException with the partitions that the state cannot answer for */
    static void require(JobPlan plan, Wiring wiring) {
        List<Obstacle> obstacles = obstacles(plan, wiring);
        if (!obstacles.isEmpty()) {
            throw CommandException.failed("%s", refusal(plan, obstacles));
        }
    }

    static List<Obstacle> obstacles(JobPlan plan, Wiring wiring) {
        try (StateReach.Reader reader = wiring.stateReach(plan)) {
            return ReopenedRange.obstacles(
                    reader, Wiring.calendar(plan), plan.partition().lookback());
        }
    }

    static String refusal(JobPlan plan, List<Obstacle> obstacles) {
        Map<String, String> partitions = new LinkedHashMap<>();
        obstacles.forEach(obstacle ->
                partitions.merge(obstacle.partition(), obstacle.words(), (one, other) -> one + ", " + other));
        return "the state cannot answer for all that a lookback of "
                + plan.partition().lookback() + " opens again:\n"
                + partitions.entrySet().stream()
                        .map(each -> "  " + each.getKey() + ": " + each.getValue() + "\n")
                        .collect(Collectors.joining())
                + "rebuild these partitions instead, or restore with a smaller lookback";
    }
}
