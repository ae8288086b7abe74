/**
 * Generated records into a Kafka topic.
 *
 * <p>Takes encoded records, gives them to a broker. May touch Kafka's clients. Promises that what it says it has sent the
 * broker has acknowledged, that records of one key are in one partition in order, and that it never mixes its records with
 * those that are in a topic already.
 */
@NullMarked
package dev.tidemark.generate.kafka;

import org.jspecify.annotations.NullMarked;
