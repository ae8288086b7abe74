package dev.tidemark.gate;

/**
 * How far the logs of one stamping operator have come at a barrier: what it tells every operator that keeps state, so that
 * all close and forget by the same bound. Sent ahead of each barrier, and once more, with {@code last}, at the end of its
 * input.
 *
 * @param sender the subtask that speaks, from 0
 * @param senders how many speak
 * @param ready whether it has been given all logs that were there at the start; until then nothing may close
 * @param last whether all its logs are finished: it will not speak again
 * @param leastActive the least h, in microseconds, over its logs that have unread records or were read to their end less
 *     than the idle timeout ago; {@link #NONE}: it has no such log; {@link Frontier#UNKNOWN}: one has no h yet
 * @param least the least h over all its logs that have one; {@link #NONE}: it has none
 */
public record Bound(int sender, int senders, boolean ready, boolean last, long leastActive, long least) {
    /** No log. */
    public static final long NONE = Long.MAX_VALUE;
}
