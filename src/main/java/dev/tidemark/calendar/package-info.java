/**
 * Partition arithmetic: the days, weeks, months and hours of a zone as numbers.
 *
 * <p>Takes instants and a job's grain and zone, gives partitions, their order, distance and text. Pure, and knows of the
 * other rooms only the words of {@code job} and {@code change}. Promises that every instant lies in exactly one
 * partition, whatever the zone's clocks did, and that neither the JVM's zone nor a database session's matters.
 */
@NullMarked
package dev.tidemark.calendar;

import org.jspecify.annotations.NullMarked;
