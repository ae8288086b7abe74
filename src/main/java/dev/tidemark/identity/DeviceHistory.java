package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one device: its sightings day by day, and of the days that are forgotten, which no longer change, how
 * many events each user had and when the first. Immutable.
 *
 * <p>A sighting counts on its own day, and ahead: as seen from the day before, whose last session may reach over midnight.
 * Mostly it does both. It does not count ahead if the day before was closed when it came, and it goes on counting ahead if
 * the day before was closed when it went: a closed day never changes.
 *
 * <p>A day sees its own sightings and those ahead, not those of the day before. So what comes to a closed day leaves the
 * open ones as they are, and each open day is what a recomputation makes of the changes so far.
 */
public final class DeviceHistory {
    /** Nothing is known. */
    public static final DeviceHistory EMPTY = new DeviceHistory(new TreeMap<>(), new TreeMap<>(), null);

    private static final SortedMap<Sighting, Seen> NOTHING = Collections.unmodifiableSortedMap(new TreeMap<>());

    private final NavigableMap<Long, SortedMap<Sighting, Seen>> days;
    private final SortedMap<Bytes, Total> totals;
    private final @Nullable Bytes anchor;

    private DeviceHistory(
            NavigableMap<Long, SortedMap<Sighting, Seen>> days,
            SortedMap<Bytes, Total> totals,
            @Nullable Bytes anchor) {
        this.days = days;
        this.totals = totals;
        this.anchor = anchor;
    }

    /** How often a sighting counts: on its own day, and ahead. */
    private record Seen(int own, int ahead) {
        private static final Seen NEVER = new Seen(0, 0);
    }

    /** The events of a user on forgotten days. */
    private record Total(long events, long first) {}

    /** Whether there is nothing to be remembered. */
    public boolean isEmpty() {
        return days.isEmpty() && totals.isEmpty();
    }

    /** The first day of which the sightings are remembered; null: none. */
    public @Nullable Long firstDay() {
        return days.isEmpty() ? null : days.firstKey();
    }

    /** Whether a day is remembered. */
    public boolean has(long day) {
        return days.containsKey(day);
    }

    /** The days that are remembered. */
    public Collection<Long> days() {
        return days.keySet();
    }

    /**
     * The history after some changes.
     *
     * @param changes in their order
     * @param missed is told each change that the day before would show if it were not closed
     * @throws IllegalStateException if a sighting is taken out that is not in: the sender is wrong
     */
    public DeviceHistory after(List<DeviceChange> changes, Sessions sessions, Missed missed) {
        NavigableMap<Long, SortedMap<Sighting, Seen>> next = new TreeMap<>(days);
        Set<Long> copied = new HashSet<>();
        for (DeviceChange change : changes) {
            SortedMap<Sighting, Seen> day = next.getOrDefault(change.day(), NOTHING);
            if (copied.add(change.day())) {
                day = new TreeMap<>(day);
                next.put(change.day(), day);
            }
            SortedMap<Sighting, Seen> before = change.neighbour() == null ? null : next.get(change.day() - 1);
            List<Bytes> shown = before == null ? List.of() : owners(before, day, true, sessions);
            count(day, change.minus(), -1, change.reachesBack());
            count(day, change.plus(), 1, change.reachesBack());
            if (before != null && !shown.equals(owners(before, day, true, sessions))) {
                missed.on(change);
            }
        }
        for (long each : copied) {
            SortedMap<Sighting, Seen> day = Objects.requireNonNull(next.get(each), "it was put there");
            settle(day);
            if (day.isEmpty()) {
                next.remove(each);
            }
        }
        return new DeviceHistory(next, totals, anchor);
    }

    /** Is told of changes that a closed day misses. */
    @FunctionalInterface
    public interface Missed {
        /** Nobody asks. */
        Missed NOBODY = change -> {};

        void on(DeviceChange change);
    }

    /**
     * Nothing is in less than no times. Ahead it may seem so: what did not count ahead when it came, because its log was in
     * front, and went by a log that is behind.
     */
    private static void settle(SortedMap<Sighting, Seen> day) {
        day.forEach((sighting, seen) -> {
            if (seen.own() < 0) {
                throw new IllegalStateException(
                        "A sighting at " + sighting.eventTime() + " is taken out that was never put in");
            }
        });
        day.replaceAll((sighting, seen) -> seen.ahead() < 0 ? new Seen(seen.own(), 0) : seen);
        day.values().removeIf(Seen.NEVER::equals);
    }

    private static void count(
            SortedMap<Sighting, Seen> day, @Nullable Sighting sighting, int more, boolean reachesBack) {
        if (sighting == null) {
            return;
        }
        Seen seen = day.getOrDefault(sighting, Seen.NEVER);
        Seen now = new Seen(seen.own() + more, seen.ahead() + (reachesBack ? more : 0));
        if (now.equals(Seen.NEVER)) {
            day.remove(sighting);
        } else {
            day.put(sighting, now);
        }
    }

    /**
     * The history without the days before one, of which only totals remain.
     *
     * @param joined is told each pair of users that are joined for good by this device
     */
    public DeviceHistory forgottenBefore(long day, BiConsumer<Bytes, Bytes> joined) {
        SortedMap<Bytes, Total> more = new TreeMap<>(totals);
        Bytes first = anchor;
        for (SortedMap<Sighting, Seen> forgotten : days.headMap(day, false).values()) {
            for (Map.Entry<Sighting, Seen> entry : forgotten.entrySet()) {
                Sighting sighting = entry.getKey();
                int events = entry.getValue().own();
                if (events <= 0 || !sighting.isSignedIn()) {
                    continue;
                }
                Total total = more.get(sighting.user());
                if (first == null) {
                    first = sighting.user();
                } else if (total == null) {
                    joined.accept(first, sighting.user());
                }
                more.put(
                        sighting.user(),
                        total == null
                                ? new Total(events, sighting.eventTime())
                                : new Total(total.events() + events, Math.min(total.first(), sighting.eventTime())));
            }
        }
        return new DeviceHistory(new TreeMap<>(days.tailMap(day, true)), more, first);
    }

    /**
     * The history after days have been opened again: what counts on the days behind them is seen from there, and nothing else.
     *
     * @param from the first day that is open
     */
    public DeviceHistory reopened(long from) {
        NavigableMap<Long, SortedMap<Sighting, Seen>> next = new TreeMap<>(days);
        for (Map.Entry<Long, SortedMap<Sighting, Seen>> entry :
                days.tailMap(from, false).entrySet()) {
            SortedMap<Sighting, Seen> day = new TreeMap<>(entry.getValue());
            day.replaceAll((sighting, seen) -> new Seen(seen.own(), seen.own()));
            day.values().removeIf(Seen.NEVER::equals);
            if (day.isEmpty()) {
                next.remove(entry.getKey());
            } else {
                next.put(entry.getKey(), day);
            }
        }
        return new DeviceHistory(next, totals, anchor);
    }

    /** The user with most events on the device, then the one seen first, then the least; empty: there is none. */
    public Bytes owner() {
        SortedMap<Bytes, Total> all = new TreeMap<>(totals);
        for (SortedMap<Sighting, Seen> day : days.values()) {
            day.forEach((sighting, seen) -> {
                if (seen.own() > 0 && sighting.isSignedIn()) {
                    all.merge(
                            sighting.user(),
                            new Total(seen.own(), sighting.eventTime()),
                            (one, other) ->
                                    new Total(one.events() + other.events(), Math.min(one.first(), other.first())));
                }
            });
        }
        Bytes owner = Bytes.EMPTY;
        Total most = null;
        for (Map.Entry<Bytes, Total> entry : all.entrySet()) {
            Total total = entry.getValue();
            if (most == null
                    || total.events() > most.events()
                    || (total.events() == most.events() && total.first() < most.first())) {
                owner = entry.getKey();
                most = total;
            }
        }
        return owner;
    }

    /**
     * The users that the device joins as long as the remembered days stay as they are, one of those that it joins for good
     * among them; empty: fewer than two, or all are joined for good.
     */
    public List<Bytes> joins() {
        SortedSet<Bytes> users = new TreeSet<>();
        for (SortedMap<Sighting, Seen> day : days.values()) {
            day.forEach((sighting, seen) -> {
                if (seen.own() > 0 && sighting.isSignedIn() && !totals.containsKey(sighting.user())) {
                    users.add(sighting.user());
                }
            });
        }
        if (anchor != null && !users.isEmpty()) {
            users.add(anchor);
        }
        return users.size() < 2 ? List.of() : List.copyOf(users);
    }

    /**
     * The days that may show something else than in another history of the device, besides whom it belongs to on the whole.
     */
    @SuppressWarnings("ReferenceEquality") // a day that did not change is the same
    Set<Long> daysUnlike(DeviceHistory other) {
        Set<Long> unlike = new HashSet<>();
        for (DeviceHistory each : List.of(this, other)) {
            for (long day : each.days.keySet()) {
                if (days.get(day) != other.days.get(day)) {
                    unlike.add(day - 1);
                    unlike.add(day);
                }
            }
        }
        return unlike;
    }

    /** What a day shows. */
    DeviceDay day(long day, Sessions sessions) {
        SortedMap<Sighting, Seen> own = days.getOrDefault(day, NOTHING);
        SortedMap<Sighting, Seen> ahead = days.getOrDefault(day + 1, NOTHING);
        long events = 0;
        long identified = 0;
        Set<Bytes> users = new HashSet<>();
        boolean isAnonymous = false;
        for (Map.Entry<Sighting, Seen> entry : own.entrySet()) {
            int count = Math.max(entry.getValue().own(), 0);
            events += count;
            if (count > 0 && entry.getKey().isSignedIn()) {
                identified += count;
                users.add(entry.getKey().user());
            } else if (count > 0) {
                isAnonymous = true;
            }
        }
        long owned = 0;
        Set<Bytes> owners = new HashSet<>();
        boolean isOwnerless = false;
        for (Bytes owner : owners(own, ahead, false, sessions)) {
            if (owner.isEmpty()) {
                isOwnerless = true;
            } else {
                owned++;
                owners.add(owner);
            }
        }
        return new DeviceDay(events, identified, users, isAnonymous, owned, owners, isOwnerless);
    }

    /**
     * Who each event of a day belongs to.
     *
     * @param all whether the next day is seen as it is now, rather than as the day saw it while it was open
     */
    private static List<Bytes> owners(
            SortedMap<Sighting, Seen> own, SortedMap<Sighting, Seen> next, boolean all, Sessions sessions) {
        // Nearly always the next day comes after; but clocks that are put back at midnight bring a day back.
        NavigableMap<Sighting, Integer> sightings = new TreeMap<>();
        own.forEach((sighting, seen) -> {
            if (seen.own() > 0) {
                sightings.put(sighting, seen.own());
            }
        });
        next.forEach((sighting, seen) -> {
            if ((all ? seen.own() : seen.ahead()) > 0) {
                sightings.put(sighting, 0);
            }
        });
        Bytes[] each = sessions.owners(List.copyOf(sightings.keySet()));
        List<Bytes> owners = new ArrayList<>();
        int at = 0;
        for (int events : sightings.values()) {
            for (int i = 0; i < events; i++) {
                owners.add(each[at]);
            }
            at++;
        }
        return owners;
    }

    /** Writes it; the reader must know the format. */
    public void writeTo(DataOutput out) throws IOException {
        Wire.writeNullableBytes(anchor, out);
        Wire.writeUnsigned(totals.size(), out);
        for (Map.Entry<Bytes, Total> entry : totals.entrySet()) {
            Wire.writeBytes(entry.getKey(), out);
            Wire.writeSigned(entry.getValue().events(), out);
            Wire.writeSigned(entry.getValue().first(), out);
        }
        Wire.writeUnsigned(days.size(), out);
        for (Map.Entry<Long, SortedMap<Sighting, Seen>> day : days.entrySet()) {
            Wire.writeSigned(day.getKey(), out);
            Wire.writeUnsigned(day.getValue().size(), out);
            long last = 0;
            for (Map.Entry<Sighting, Seen> entry : day.getValue().entrySet()) {
                Sighting sighting = entry.getKey();
                Wire.writeSigned(sighting.eventTime() - last, out);
                last = sighting.eventTime();
                Wire.writeBytes(sighting.platform(), out);
                Wire.writeBytes(sighting.user(), out);
                Wire.writeUnsigned(entry.getValue().own(), out);
                Wire.writeUnsigned(entry.getValue().ahead(), out);
            }
        }
    }

    /** The inverse of {@link #writeTo}. */
    public static DeviceHistory readFrom(DataInput in) throws IOException {
        Bytes anchor = Wire.readNullableBytes(in);
        SortedMap<Bytes, Total> totals = new TreeMap<>();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            totals.put(Wire.readBytes(in), new Total(Wire.readSigned(in), Wire.readSigned(in)));
        }
        NavigableMap<Long, SortedMap<Sighting, Seen>> days = new TreeMap<>();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            SortedMap<Sighting, Seen> day = new TreeMap<>();
            days.put(Wire.readSigned(in), day);
            long last = 0;
            for (int sightings = Wire.readUnsigned(in); sightings > 0; sightings--) {
                last += Wire.readSigned(in);
                Sighting sighting = new Sighting(last, Wire.readBytes(in), Wire.readBytes(in));
                day.put(sighting, new Seen(Wire.readUnsigned(in), Wire.readUnsigned(in)));
            }
        }
        return new DeviceHistory(days, totals, anchor);
    }
}
