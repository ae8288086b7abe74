package dev.tidemark.source.kafka;

import org.apache.kafka.common.TopicPartition;

/** What is said when the records that a job must read next are gone from the topic. */
final class LostRecords {
    private LostRecords() {}

    /**
     * @param why what wants the offset, as a clause that it follows
     * @param least the first offset that the partition has
     */
    static String message(String job, TopicPartition partition, long wanted, String why, long least) {
        return "the records " + wanted + " to " + (least - 1) + " of partition " + partition.partition()
                + " of the topic "
                + partition.topic() + " are gone: " + why + " offset " + wanted
                + ", and the first that the broker has is "
                + least + ". No savepoint can bring them back. To go on without them, run `update tidemark.jobs set"
                + " start_positions = null where job = '" + job + "'` and submit the job without --restore: it then"
                + " begins anew at source.kafka.startup, what is published stays, and changes to partitions that it"
                + " does not see whole are late (before-start). Keep a topic's records longer than the job may stand"
                + " still";
    }

    /** The partition does not reach to where the job has read it. */
    static String shorter(String job, TopicPartition partition, long wanted, long end) {
        return "the job " + job + " has read partition " + partition.partition() + " of the topic " + partition.topic()
                + " up to offset " + wanted + ", which the broker did not have; now it has the partition up to " + end
                + ": it has lost its newest records. Bring them back, or give the job and its target other names so that"
                + " it starts anew";
    }

    /** The topic is another one of the same name. */
    static String createdAnew(String job, String topic, String before, String now) {
        return "the topic " + topic + " has been created anew (its id was " + before + ", now it is " + now
                + "), and the positions of the job " + job + " mean nothing in it; give the job and its target other"
                + " names so that it starts anew, or name the topic that holds what the job has read";
    }
}
