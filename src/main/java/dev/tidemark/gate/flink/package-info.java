/**
 * The gate in Flink: one operator that decodes, screens and stamps the records of whole logs.
 *
 * <p>Takes raw records in the order of their log, gives changes stamped with the frontier, rejected ones on the side, and
 * at every barrier the cut: how far each log has come. May touch operator state and, for the published positions, the
 * port that it is handed. Promises that a record read again after a restore gets the same stamp and is not counted twice.
 */
@NullMarked
package dev.tidemark.gate.flink;

import org.jspecify.annotations.NullMarked;
