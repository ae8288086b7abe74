package dev.tidemark.publish;

import java.util.List;

/**
 * What one stamping operator read since the last cut, and where its logs stand.
 *
 * @param read changes counted, rejected ones included
 * @param logs every log that the operator has read from
 */
public record Cut(long read, long rejected, List<LogCut> logs) {}
