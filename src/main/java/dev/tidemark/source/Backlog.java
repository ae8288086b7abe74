package dev.tidemark.source;

/** What a source has and a job has not read yet, as far as the source can be asked. */
public sealed interface Backlog {

    /** Of a topic. */
    record Records(long records, long partitions) implements Backlog {}

    /** Of files: those that sort behind where each log stands. */
    record Files(long files, long bytes) implements Backlog {}

    /** The source cannot be asked from here. */
    record Unknown(String reason) implements Backlog {}

    /** Whether it is known that something waits. */
    default boolean isWaiting() {
        if (this instanceof Records records) {
            return records.records() > 0;
        }
        return this instanceof Files files && files.files() > 0;
    }
}
