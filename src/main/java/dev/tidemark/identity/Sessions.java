package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
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
        Bytes owner = Bytes.EMPTY;
        for (int i = owners.length - 1; i >= 0; i--) {
            Sighting sighting = sightings.get(i);
            if (i + 1 < owners.length && isNew(sighting, sightings.get(i + 1))) {
                owner = Bytes.EMPTY;
            }
            if (owner.isEmpty()) {
                owner = sighting.user();
            }
            owners[i] = owner;
        }
        return owners;
    }
}
