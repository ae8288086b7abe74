package dev.tidemark.evidence;

import dev.tidemark.job.IdentityMethod;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the columns of identities show of one day, from all that was known at one time. Written apart from what the job does: plain
 * passes over sorted rows. Holds an entry a device and a user that ever met, and what is on the day.
 *
 * <p>First {@link #met} is told of all devices and users, then {@link #event} of the events of the day; {@link #begin} forgets the
 * day and keeps who met.
 */
public final class Attribution {
    private final long sessionGap;
    private final Map<String, String> owners = new HashMap<>();
    /** A forest over devices and users: who stands above; a root is not in it. */
    private final Map<String, String> above = new HashMap<>();

    private final Map<IdentityMethod, Set<String>> identities = new EnumMap<>(IdentityMethod.class);
    private final Map<IdentityMethod, Long> identified = new EnumMap<>(IdentityMethod.class);
    private @Nullable Seen last;
    private long ofSession;
    private String ofSessionUser = "";

    private record Seen(String device, long time, String platform) {}

    /** @param sessionGap the longest time between two events of a session, in microseconds */
    public Attribution(long sessionGap) {
        this.sessionGap = sessionGap;
    }

    /**
     * A user was seen on a device.
     *
     * @param user not empty; of the users of a device the first that is told of is the one to whom all of it is attributed
     */
    public void met(String device, String user) {
        owners.putIfAbsent(device, user);
        String one = root("d" + device);
        String other = root("u" + user);
        if (!one.equals(other)) {
            above.put(one, other);
        }
    }

    /** Begins a day. */
    public void begin() {
        identities.clear();
        identified.clear();
        last = null;
        ofSession = 0;
        ofSessionUser = "";
    }

    /**
     * An event, by device and in the order of time, platform and user.
     *
     * @param events how many such events are of the day itself; 0: it is of the next, and only seen from there
     * @param user empty: nobody is signed in
     */
    public void event(String device, long time, String platform, String user, long events) {
        Seen before = last;
        if (before != null
                && (!before.device().equals(device)
                        || !before.platform().equals(platform)
                        || time - before.time() > sessionGap)) {
            endSession(before.device());
        }
        last = new Seen(device, time, platform);
        ofSession += events;
        if (!user.isEmpty()) {
            ofSessionUser = user;
        }
        if (events > 0) {
            count(IdentityMethod.RAW, device, user, events);
            count(IdentityMethod.BACKWARD_FILL, device, owners.getOrDefault(device, ""), events);
            count(
                    IdentityMethod.CONNECTED_COMPONENTS,
                    device,
                    owners.containsKey(device) ? root("d" + device) : "",
                    events);
        }
    }

    /** The day has no more events. */
    public void end() {
        if (last != null) {
            endSession(last.device());
        }
    }

    /** Distinct identities. */
    public long identities(IdentityMethod method) {
        return identities.getOrDefault(method, Set.of()).size();
    }

    /** Events whose identity is a user. */
    public long identifiedEvents(IdentityMethod method) {
        return identified.getOrDefault(method, 0L);
    }

    private void endSession(String device) {
        if (ofSession > 0) {
            count(IdentityMethod.FORWARD_ONLY, device, ofSessionUser, ofSession);
        }
        ofSession = 0;
        ofSessionUser = "";
    }

    private void count(IdentityMethod method, String device, String user, long events) {
        identities.computeIfAbsent(method, first -> new HashSet<>()).add(user.isEmpty() ? "d" + device : "u" + user);
        if (!user.isEmpty()) {
            identified.merge(method, events, Long::sum);
        }
    }

    private String root(String node) {
        String root = node;
        for (String next = above.get(root); next != null; next = above.get(root)) {
            root = next;
        }
        String step = node;
        for (String next = above.get(step); next != null; next = above.get(step)) {
            if (!next.equals(root)) {
                above.put(step, root);
            }
            step = next;
        }
        return root;
    }
}
