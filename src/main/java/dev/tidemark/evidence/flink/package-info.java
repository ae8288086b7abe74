/**
 * Writing a history down, in Flink: one operator behind the readers.
 *
 * <p>Takes raw records, gives nothing: what it decodes goes to a {@link dev.tidemark.evidence.Recorder}. May touch no state.
 * Promises that a reader which fails leaves nothing that looks finished.
 */
@NullMarked
package dev.tidemark.evidence.flink;

import org.jspecify.annotations.NullMarked;
