package dev.tidemark.change.avro;

import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.job.JobPlan;

/** Makes the decoder for the format of a job's source. */
public final class Decoders implements RecordDecoder.Factory {
    private static final long serialVersionUID = 1L;

    @Override
    public RecordDecoder create(JobPlan plan) {
        Reading reading = Reading.of(plan);
        String schema = plan.source().schema();
        RecordDecoder values = switch (plan.source().format()) {
            case AVRO -> new AvroRecordDecoder(reading, schema);
            case JSON -> new JsonRecordDecoder(reading, schema);
        };
        return plan.source().kafka() == null ? values : new KeyDecoder(values, plan, reading);
    }
}
