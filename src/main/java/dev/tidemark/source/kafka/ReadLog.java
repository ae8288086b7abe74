package dev.tidemark.source.kafka;

import org.apache.kafka.common.TopicPartition;

/** One partition in the hands of a reader. Belongs to the reader's thread. */
final class ReadLog {
    final TopicPartition partition;
    final String name;
    /** The offset behind the last record that was emitted, or where reading began. */
    long next;
    /** Whether a record has come since the silence was last looked at. */
    boolean hasMoved = true;

    boolean isQuiet;
    long silentSinceMillis;

    ReadLog(TopicPartition partition, long next) {
        this.partition = partition;
        this.name = partition.toString();
        this.next = next;
    }
}
