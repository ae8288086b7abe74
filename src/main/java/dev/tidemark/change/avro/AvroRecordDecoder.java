package dev.tidemark.change.avro;

import dev.tidemark.change.Draft;
import dev.tidemark.change.RawRecord;
import dev.tidemark.change.Reading;
import dev.tidemark.change.RecordDecoder;
import dev.tidemark.change.Rejection;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Decodes Avro's binary form by the rules of schema resolution, as Avro's own generic reader has them, for the fields that
 * the job reads, in nested records too.
 *
 * <p>A writer schema is compiled once; then only bytes are looked at, and what the job does not read is passed over. Beyond
 * Avro's reader: times become microseconds from whichever unit the writer says, decimals take the reader's scale if no digit
 * is lost, and a logical type is not read as one of another kind.
 */
public final class AvroRecordDecoder implements RecordDecoder {
    /** So many writer schemas are kept compiled; a topic has a handful. */
    static final int MOST_PROGRAMS = 1000;

    private final SlotRules rules;
    private final StepRunner runner;
    private final String readerSchema;
    private final Map<String, WriterProgram> programs = new HashMap<>();
    private @Nullable String lastSchema;
    private @Nullable WriterProgram lastProgram;

    public AvroRecordDecoder(Reading reading, String readerSchema) {
        this.rules = new SlotRules(reading, new Schema.Parser().parse(readerSchema));
        this.runner = new StepRunner(rules);
        this.readerSchema = readerSchema;
    }

    @Override
    public void decode(RawRecord raw, Draft draft) {
        if (raw.damage != null) {
            draft.reject(Rejection.UNDECODABLE, raw.damage);
            return;
        }
        WriterProgram program = program(raw.writerSchema == null ? readerSchema : raw.writerSchema);
        if (program.problem != null) {
            draft.reject(Rejection.UNDECODABLE, program.problem);
            return;
        }
        rules.begin();
        try {
            runner.run(program.steps, raw.bytes, raw.start, raw.length, draft);
            rules.finish(draft);
        } catch (Undecodable e) {
            draft.reject(Rejection.UNDECODABLE, String.valueOf(e.getMessage()));
        }
    }

    @SuppressWarnings("ReferenceEquality") // the source gives the same instance for all records of a file
    private WriterProgram program(String schema) {
        WriterProgram known = lastProgram;
        if (known != null && schema == lastSchema) {
            return known;
        }
        WriterProgram program = programs.get(schema);
        if (program == null) {
            if (programs.size() == MOST_PROGRAMS) {
                programs.clear();
            }
            program = WriterProgram.of(schema, rules.root());
            programs.put(schema, program);
        }
        lastSchema = schema;
        lastProgram = program;
        return program;
    }
}
