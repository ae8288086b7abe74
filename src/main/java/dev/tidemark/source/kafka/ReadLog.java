package dev.tidemark.source.kafka;

import dev.tidemark.source.flink.ReaderPace;
import org.apache.kafka.common.TopicPartition;

/** One partition in the hands of a reader. Belongs to the reader's thread. */
final class ReadLog {
    final TopicPartition partition;
    final String name;
    /** How far it has come, for the pace. */
    final ReaderPace.Log pace;
    /** The offset behind the last record that was emitted, or where reading began. */
    long next;
    /** Whether a record has come since the silence was last looked at. */
    boolean hasMoved = true;

    boolean isQuiet;
    long silentSinceMillis;

    /** Whether it waits for others: the consumer fetches nothing of it. */
    boolean isHeld;

    ReadLog(TopicPartition partition, long next, ReaderPace.Log pace) {
        this.partition = partition;
        this.name = partition.toString();
        this.next = next;
        this.pace = pace;
    }
}
