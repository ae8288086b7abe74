/**
 * The history, recomputed in an embedded DuckDB.
 *
 * <p>Takes changes (one file a reader), the target and its ledger; gives what lives of each record, the cells, and how the
 * target differs. May touch DuckDB and the scratch folder that it is given, nothing else.
 *
 * <p>The tables, for whoever asks further questions of a {@link dev.tidemark.evidence.duckdb.Recomputation}:
 *
 * <pre>
 * changes      log, sequence (its place in the log), split, "offset", record_id (null: records have none), op ('upsert',
 *              'delete', 'tombstone'; what does not meet `where` is a delete), event_time and observed_at (microseconds; null:
 *              not known), partition (ISO text; null: no event time), hash (of the fingerprint; null: no upsert), v0 ... the
 *              version fields, k0 ... the key, f0 ... the fields of a row in the order of JobPlan.rowFields, b0 ... the bits
 *              of those that are floating-point numbers
 * rejections   log, split, "offset", reason
 * logs         log, split, next_offset, whole_from (a partition; null: all): how far each reader read each log
 * readings     records, bytes
 * live         of each record the version that lives, as in changes; of records without id all
 * cells        partition, k0 ..., c0 ... the value columns (null: of more than one partition), members, fingerprint
 * published.target   partition, k0 ..., c0 ..., members, fingerprint, publication, unreadable (what is in columns whose
 *              values are none of their type, as text)
 * published.ledger   split, "offset", half, partition, key (JSON), record_id, reason: the open rows
 * </pre>
 *
 * Promises that its SQL is made from the job's plan alone; that memory is bounded by what it was given, all else being
 * spilled to the folder; that nothing is lost without a word.
 */
@NullMarked
package dev.tidemark.evidence.duckdb;

import org.jspecify.annotations.NullMarked;
