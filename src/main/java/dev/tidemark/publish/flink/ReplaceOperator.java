package dev.tidemark.publish.flink;

import dev.tidemark.publish.RefusedException;
import dev.tidemark.publish.Replacement;
import dev.tidemark.publish.Scan;
import dev.tidemark.publish.StagedPart;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The one committer of a rebuild: when both inputs have ended, all receipts and all that was read are there, and what was
 * staged takes the place of what stood, in one transaction.
 *
 * <p>Assumes the batch mode: of a task that failed and ran again only the receipts of the attempt that came to its end are
 * handed over. It keeps no state, because the transaction can be repeated. It must run at parallelism 1.
 */
public final class ReplaceOperator extends AbstractStreamOperator<Void>
        implements TwoInputStreamOperator<StagedPart, Scan, Void> {
    private static final long serialVersionUID = 1L;

    private final Replacement.Factory replacements;

    private transient List<StagedPart> parts;
    private transient List<Scan> scans;

    @SuppressWarnings("NullAway.Init")
    public ReplaceOperator(Replacement.Factory replacements) {
        this.replacements = replacements;
    }

    @Override
    public void open() throws Exception {
        super.open();
        parts = new ArrayList<>();
        scans = new ArrayList<>();
    }

    @Override
    public void processElement1(StreamRecord<StagedPart> element) {
        parts.add(element.getValue());
    }

    @Override
    public void processElement2(StreamRecord<Scan> element) {
        scans.add(element.getValue());
    }

    /** What another attempt would find just the same is not tried again. */
    @Override
    public void finish() throws Exception {
        try (Replacement replacement = replacements.open()) {
            replacement.replace(parts, scans);
        } catch (RefusedException refused) {
            throw new SuppressRestartsException(refused);
        }
        super.finish();
    }
}
