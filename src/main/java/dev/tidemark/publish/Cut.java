package dev.tidemark.publish;

import java.util.List;

/**
 * What one stamping operator read since its last cut, and where its logs stand.
 *
 * @param sender the subtask that speaks, from 0
 * @param barrier the checkpoint ahead of whose barrier it was said; at the end of the input one more than the last: of the
 *     cuts of a sender the one with the greatest is the newest
 * @param ready whether bounds may follow from where its logs stand: it has been given all logs that were there at the start,
 *     and each that is active stands somewhere; until then nothing may close
 * @param read changes counted, rejected ones included
 * @param logs every log that the operator reads and that stands somewhere
 */
public record Cut(int sender, long barrier, boolean ready, long read, long rejected, List<LogCut> logs) {
    /** A cut of the only operator, which is ready. */
    public Cut(long read, long rejected, List<LogCut> logs) {
        this(0, 0, true, read, rejected, logs);
    }
}
