package dev.tidemark.source.flink;

import dev.tidemark.source.Pace;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * The enumerator's side of aligned reading: hears from each reader how far its least log has come, and tells each the least
 * of the others. A reader that has not spoken yet holds the others. Belongs to one enumerator, and holds no state: whoever
 * starts again says it again.
 */
public final class ReaderProgress {
    private final SplitEnumeratorContext<?> context;
    private final Map<Integer, Long> reached = new HashMap<>();
    private final Map<Integer, Long> told = new HashMap<>();

    public ReaderProgress(SplitEnumeratorContext<?> context) {
        this.context = context;
    }

    /** A reader has started, for the first time or again. */
    public void start(int reader) {
        reached.remove(reader);
        told.remove(reader);
        tellAll();
    }

    /** A reader has spoken. */
    public void hear(int reader, LeastReached said) {
        reached.put(reader, said.least());
        tellAll();
    }

    /** The least over all readers but one. */
    long leastOfOthers(int reader) {
        long least = Pace.NONE;
        for (int other = 0; other < context.currentParallelism(); other++) {
            if (other != reader) {
                least = Math.min(least, reached.getOrDefault(other, Pace.UNKNOWN));
            }
        }
        return least;
    }

    private void tellAll() {
        for (int reader : context.registeredReaders().keySet()) {
            Long least = leastOfOthers(reader);
            if (!least.equals(told.put(reader, least))) {
                context.sendEventToSourceReader(reader, new LeastOfOthers(least));
            }
        }
    }
}
