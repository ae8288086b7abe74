/**
 * Who was there: identity resolution of devices and users, and what a target shows of it day by day.
 *
 * <p>Takes sightings of devices (when, on which platform, which user was signed in) as they come and go, gives for each day
 * how many identities there were and how many events were somebody's, by each method. Pure; the door is {@code flink}. May
 * touch cell truths and late changes, because identity columns stand in a target's rows and what a closed day misses is
 * late. Promises that everything is a function of the sightings that are there, whatever was there before, and that users
 * and devices of the same name are never taken for each other.
 */
@NullMarked
package dev.tidemark.identity;

import org.jspecify.annotations.NullMarked;
