/**
 * Example data: stories told at any scale, the order lines, sessions and shipments of Kestrel, and the inventory snapshots of
 * TTC.
 *
 * <p>Takes a scale, a number of days and a seed, gives records in the order of their arrival to a {@code RecordSink}. Pure
 * but for the files that it writes; {@code avro} holds the form of Avro. Promises the same bytes for the same arguments on
 * any machine and in any zone, memory that does not grow with the number of records, and exactly the figures that a
 * story's class documents.
 */
@NullMarked
package dev.tidemark.generate;

import org.jspecify.annotations.NullMarked;
