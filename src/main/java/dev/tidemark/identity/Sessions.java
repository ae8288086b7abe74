package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import java.util.Arrays;
import java.util.List;

/**
 * The sessions of a device: a new one begins after a gap that is longer than allowed, and with another platform.
 *
 * @param gap the longest time between two events of a session, in microseconds
 */
public record Sessions(long gap) {

    /** Whether one sighting begins a session after another. */
    public boolean isNew(Sighting before, Sighting next) {
        return next.eventTime() - before.eventTime() > gap || !next.platform().equals(before.platform());
    }

    /**
     * Who each sighting belongs to: the last user that is signed in in its session; empty: nobody.
     *
     * @param sightings in their order
     */
    public Bytes[] owners(List<Sighting> sightings) {
        Bytes[] owners = new Bytes[sightings.size()];
        int first = 0;
        Bytes owner = Bytes.EMPTY;
        for (int i = 0; i < owners.length; i++) {
            if (i > 0 && isNew(sightings.get(i - 1), sightings.get(i))) {
                Arrays.fill(owners, first, i, owner);
                first = i;
                owner = Bytes.EMPTY;
            }
            if (sightings.get(i).isSignedIn()) {
                owner = sightings.get(i).user();
            }
        }
        Arrays.fill(owners, first, owners.length, owner);
        return owners;
    }
}
