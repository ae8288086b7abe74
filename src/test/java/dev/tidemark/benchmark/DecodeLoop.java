package dev.tidemark.benchmark;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.avro.Decoders;
import dev.tidemark.gate.Frontier;
import dev.tidemark.gate.Gate;
import dev.tidemark.gate.Stamper;
import dev.tidemark.gate.Whole;
import dev.tidemark.job.JobPlan;
import dev.tidemark.source.flink.LogFiles;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/** Plain loops over a job's files, on one thread: what the job is measured against. */
final class DecodeLoop {
    /** The first warms up. */
    private static final int ROUNDS = 3;

    private final JobPlan plan;
    private final RecordDecoder decoder;

    DecodeLoop(JobPlan plan) {
        this.plan = plan;
        this.decoder = new Decoders().create(plan);
    }

    /** Reads and decodes every record, and does nothing else. */
    Figure decodeOnly() throws IOException {
        Draft draft = new Draft(Reading.of(plan).fields().size());
        Figure best = Figure.NONE;
        for (int round = 0; round < ROUNDS; round++) {
            best = best.orFaster(time("plain loop: read and decode", raw -> {
                draft.clear();
                decoder.decode(raw, draft);
            }));
        }
        return best;
    }

    /** The same, and makes of each record the change that the job goes on with. */
    Figure andStamp() throws IOException {
        Stamper stamper = new Stamper(plan, decoder, Map.of());
        Figure best = Figure.NONE;
        for (int round = 0; round < ROUNDS; round++) {
            Frontier frontier = new Frontier(Gate.calendarOf(plan), plan.time().maxAdvance());
            Whole whole = new Whole(Gate.calendarOf(plan), plan, Whole.ALL);
            best = best.orFaster(
                    time("plain loop: decode and stamp", raw -> stamper.stamp(raw, frontier, whole, false)));
        }
        return best;
    }

    private Figure time(String name, Consumer<RawRecord> action) throws IOException {
        long started = System.nanoTime();
        long records = LogFiles.forEach(plan.source(), action);
        return new Figure(name, records, (System.nanoTime() - started) / 1e9, Figure.UNKNOWN);
    }
}
