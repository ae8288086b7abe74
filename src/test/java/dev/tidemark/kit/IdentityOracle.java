package dev.tidemark.kit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What identity columns should show, computed the long way from all events: sessions by walking from each event to both
 * sides, components by walking over devices and users until nothing new is found. Shares nothing with the program.
 */
public final class IdentityOracle {
    private final List<Event> events;
    private final Map<String, List<Event>> byDevice = new HashMap<>();
    private final long sessionGap;

    /**
     * One event that counts.
     *
     * @param user empty: nobody
     * @param time microseconds since the epoch
     * @param openFrom the first day that was open when it came: days before do not see it
     * @param isGone whether it was taken out when the day before was closed: only that day still sees it
     */
    public record Event(
            String device, String user, String platform, long time, long day, long openFrom, boolean isGone) {
        /** An event that is there. */
        public Event(String device, String user, String platform, long time, long day, long openFrom) {
            this(device, user, platform, time, day, openFrom, false);
        }

        /** The same, seen from every day if it is seen at all. */
        public Event asSeenByAll() {
            return new Event(device, user, platform, time, day, Long.MIN_VALUE, isGone);
        }

        boolean isSignedIn() {
            return !user.isEmpty();
        }
    }

    /** A row of the target. */
    public record Row(
            long events,
            long dauRaw,
            long dauForward,
            long identifiedRaw,
            long identifiedForward,
            long dauBackward,
            long dauConnected,
            long identifiedBackward,
            long identifiedConnected) {
        /** The columns that are local. */
        public List<Long> local() {
            return List.of(events, dauRaw, dauForward, identifiedRaw, identifiedForward);
        }

        /** The columns that are global. */
        public List<Long> global() {
            return List.of(dauBackward, dauConnected, identifiedBackward, identifiedConnected);
        }
    }

    public IdentityOracle(List<Event> events, long sessionGap) {
        this.events = events.stream().filter(event -> !event.isGone()).toList();
        this.sessionGap = sessionGap;
        events.forEach(event -> byDevice.computeIfAbsent(event.device(), device -> new ArrayList<>())
                .add(event));
    }

    /** The rows of all days that have events. */
    public Map<Long, Row> rows() {
        Map<String, String> owners = owners();
        Map<String, String> labels = labels();
        Map<Long, List<Event>> days = new TreeMap<>();
        events.forEach(event ->
                days.computeIfAbsent(event.day(), day -> new ArrayList<>()).add(event));
        Map<Long, Row> rows = new TreeMap<>();
        days.forEach((day, ofDay) -> {
            Count raw = new Count();
            Count forward = new Count();
            Count backward = new Count();
            Count connected = new Count();
            for (Event event : ofDay) {
                raw.add(event.device(), event.user());
                forward.add(event.device(), lastUser(event));
                backward.add(event.device(), owners.getOrDefault(event.device(), ""));
                connected.add(event.device(), labels.getOrDefault(event.device(), ""));
            }
            rows.put(
                    day,
                    new Row(
                            ofDay.size(),
                            raw.identities.size(),
                            forward.identities.size(),
                            raw.identified,
                            forward.identified,
                            backward.identities.size(),
                            connected.identities.size(),
                            backward.identified,
                            connected.identified));
        });
        return rows;
    }

    private static final class Count {
        private final Set<List<String>> identities = new HashSet<>();
        private long identified;

        private void add(String device, String user) {
            identities.add(user.isEmpty() ? List.of("device", device) : List.of("user", user));
            identified += user.isEmpty() ? 0 : 1;
        }
    }

    /** Who each event of a device on a day belongs to by its session, in the order of the events. */
    public List<String> sessionUsers(String device, long day) {
        return byDevice.getOrDefault(device, List.of()).stream()
                .filter(event -> event.day() == day && !event.isGone())
                .sorted(Comparator.comparingLong(Event::time)
                        .thenComparing(Event::platform)
                        .thenComparing(Event::user))
                .map(this::lastUser)
                .toList();
    }

    /** The last user that is signed in in the session of an event, as its day sees it. */
    private String lastUser(Event event) {
        List<Event> seen = byDevice.getOrDefault(event.device(), List.of()).stream()
                .filter(other -> (other.day() == event.day() && !other.isGone())
                        || (other.day() == event.day() + 1 && event.day() >= other.openFrom()))
                .sorted(Comparator.comparingLong(Event::time)
                        .thenComparing(Event::platform)
                        .thenComparing(Event::user))
                .toList();
        int at = 0;
        while (!seen.get(at).equals(event)) {
            at++;
        }
        int last = at;
        while (last + 1 < seen.size() && belong(seen.get(last), seen.get(last + 1))) {
            last++;
        }
        int first = at;
        while (first > 0 && belong(seen.get(first - 1), seen.get(first))) {
            first--;
        }
        for (int i = last; i >= first; i--) {
            if (seen.get(i).isSignedIn()) {
                return seen.get(i).user();
            }
        }
        return "";
    }

    private boolean belong(Event one, Event next) {
        return next.time() - one.time() <= sessionGap && one.platform().equals(next.platform());
    }

    private Map<String, String> owners() {
        Map<String, Map<String, List<Event>>> byUser = new HashMap<>();
        events.stream()
                .filter(Event::isSignedIn)
                .forEach(event -> byUser.computeIfAbsent(event.device(), device -> new HashMap<>())
                        .computeIfAbsent(event.user(), user -> new ArrayList<>())
                        .add(event));
        Map<String, String> owners = new HashMap<>();
        byUser.forEach((device, users) -> owners.put(
                device,
                users.keySet().stream()
                        .min(Comparator.<String>comparingInt(
                                        user -> -users.getOrDefault(user, List.of()).size())
                                .thenComparingLong(user -> users.getOrDefault(user, List.of()).stream()
                                        .mapToLong(Event::time)
                                        .min()
                                        .orElseThrow())
                                .thenComparing(Comparator.naturalOrder()))
                        .orElseThrow()));
        return owners;
    }

    /** By device that ever had a user: the least user that can be reached from it. */
    private Map<String, String> labels() {
        Map<String, Set<String>> usersOf = new HashMap<>();
        Map<String, Set<String>> devicesOf = new HashMap<>();
        events.stream().filter(Event::isSignedIn).forEach(event -> {
            usersOf.computeIfAbsent(event.device(), device -> new HashSet<>()).add(event.user());
            devicesOf.computeIfAbsent(event.user(), user -> new HashSet<>()).add(event.device());
        });
        Map<String, String> labels = new HashMap<>();
        for (String start : usersOf.keySet()) {
            Set<String> users = new HashSet<>();
            Set<String> devices = new HashSet<>(Set.of(start));
            Deque<String> next = new ArrayDeque<>(devices);
            while (!next.isEmpty()) {
                for (String user : usersOf.getOrDefault(next.remove(), Set.of())) {
                    if (users.add(user)) {
                        for (String device : devicesOf.getOrDefault(user, Set.of())) {
                            if (devices.add(device)) {
                                next.add(device);
                            }
                        }
                    }
                }
            }
            labels.put(start, users.stream().min(Comparator.naturalOrder()).orElseThrow());
        }
        return labels;
    }
}
