package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import java.util.Set;

/**
 * What one day knows of one device, apart from whom the device belongs to on the whole.
 *
 * @param events how many there were
 * @param identified how many of them had a user signed in
 * @param users who was signed in
 * @param isAnonymous whether nobody was, at least once
 * @param ownedEvents how many of them belong to the last user of their session
 * @param owners those users
 * @param isOwnerless whether a session had none
 */
record DeviceDay(
        long events,
        long identified,
        Set<Bytes> users,
        boolean isAnonymous,
        long ownedEvents,
        Set<Bytes> owners,
        boolean isOwnerless) {}
