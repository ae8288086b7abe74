package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import java.util.List;

/** What those who know the devices tell the one who counts the days. */
public sealed interface IdentityNote {
    /**
     * What the sums of a day have changed by.
     *
     * @param identified by method: events that are somebody's
     * @param anonymous by method: devices that show themselves
     */
    record DaySums(long day, List<Long> identified, List<Long> anonymous) implements IdentityNote {}

    /**
     * On how many more devices, or fewer, a day shows a user.
     *
     * @param devices by method
     */
    record DayUser(long day, Bytes user, List<Integer> devices) implements IdentityNote {}

    /**
     * Which users a device joins from now on, as long as the remembered days stay as they are; none: it joins nobody, or those
     * whom it joins for good.
     */
    record Joins(Bytes device, List<Bytes> users) implements IdentityNote {}

    /** That two users are joined for good. */
    record JoinedForGood(Bytes one, Bytes other) implements IdentityNote {}

    /** That days before one are forgotten: they never change again. */
    record Forgotten(long before) implements IdentityNote {}
}
