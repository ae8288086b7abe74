package dev.tidemark.identity;

import dev.tidemark.change.Bytes;

/**
 * One event of a device. Sightings that are equal cannot be told apart, and need not be.
 *
 * <p>Their order is that of the device's sessions: by event time, then, so that it depends on nothing but what is seen, by
 * platform and user.
 *
 * @param eventTime microseconds since the epoch
 * @param platform UTF-8; empty: none is said
 * @param user who was signed in, UTF-8; empty: nobody
 */
public record Sighting(long eventTime, Bytes platform, Bytes user) implements Comparable<Sighting> {

    /** Whether somebody was signed in. */
    public boolean isSignedIn() {
        return !user.isEmpty();
    }

    @Override
    public int compareTo(Sighting other) {
        int order = Long.compare(eventTime, other.eventTime);
        if (order == 0) {
            order = platform.compareTo(other.platform);
        }
        return order == 0 ? user.compareTo(other.user) : order;
    }
}
