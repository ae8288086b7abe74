package dev.tidemark.benchmark;

import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.yaml.JobFiles;
import dev.tidemark.source.flink.LogFiles;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** A plain loop that reads, decodes and stamps a job's files, on one thread: what the rest of the job is measured against. */
public final class DecodeLoop {
    private DecodeLoop() {}

    /** Arguments: job file, folder of order items. */
    public static void main(String[] arguments) throws Exception {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.put("ORDER_ITEMS", arguments[1]);
        JobPlan plan = JobFiles.read(Path.of(arguments[0]), environment);
        for (int round = 1; round <= 2; round++) {
            RecordDecoder decoder = new Decoders().create(plan);
            Stamper stamper = new Stamper(plan, decoder, Map.of());
            Frontier frontier = new Frontier(Gate.calendarOf(plan), plan.time().maxAdvance());
            Whole whole = new Whole(Gate.calendarOf(plan), plan, Whole.ALL);
            long started = System.nanoTime();
            long records = LogFiles.forEach(plan.source(), raw -> stamper.stamp(raw, frontier, whole, false));
            double seconds = (System.nanoTime() - started) / 1e9;
            System.out.printf(
                    "plain loop, one thread: read, decode and stamp %,d records in %.1f s: %,.0f a second%n",
                    records, seconds, records / seconds);
        }
    }
}
