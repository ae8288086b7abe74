package dev.tidemark.pipeline;

import dev.tidemark.calendar.Calendar;
import dev.tidemark.change.Change;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.source.SourceException;
import dev.tidemark.source.flink.RecordedFiles;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The changes that a job's files hold, one log after the other: decoded, screened and stamped as the job does it, each log
 * with a frontier of its own. What the job would reject is left out. For commands that look at what was recorded.
 */
public final class RecordedChanges {
    private final JobPlan plan;
    private final RecordDecoder.Factory decoders;

    public RecordedChanges(JobPlan plan, RecordDecoder.Factory decoders) {
        this.plan = plan;
        this.decoders = decoders;
    }

    /**
     * Hands each change to the action.
     *
     * @throws SourceException if the files cannot be read
     */
    public void forEach(Consumer<Change> action) {
        Calendar calendar = Gate.calendarOf(plan);
        Stamper stamper = new Stamper(plan, decoders.create(plan), Map.of());
        Whole whole = new Whole(calendar, plan, Whole.ALL);
        Map<String, Frontier> frontiers = new HashMap<>();
        try {
            RecordedFiles.forEach(plan.source(), raw -> {
                Frontier frontier = frontiers.computeIfAbsent(
                        raw.log, log -> new Frontier(calendar, plan.time().maxAdvance()));
                Change change = stamper.stamp(raw, frontier, whole, false);
                if (change != null) {
                    action.accept(change);
                }
            });
        } catch (IOException failure) {
            throw new SourceException("the recorded changes cannot be read: " + failure.getMessage());
        }
    }
}
