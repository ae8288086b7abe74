package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.job.IdentityMethod;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a day shows of some devices, each counted for itself, or the difference between two such: sums, and for each user how
 * many devices show him. Mutable.
 */
final class DayCounts {
    private static final int METHODS = 3;
    private static final int RAW = 0;
    private static final int FORWARD = 1;
    private static final int BACKWARD = 2;

    /** By method: events that are somebody's. */
    final long[] identified = new long[METHODS];
    /** By method: devices that show themselves, because nobody is known. */
    final long[] anonymous = new long[METHODS];
    /** By user and method: devices that show him. */
    final Map<Bytes, int[]> users = new HashMap<>();
    /** By method: users that a device shows at least. */
    private final long[] distinct = new long[METHODS];

    /** The place of a method's counts. Who is connected follows from whom the devices belong to. */
    static int place(IdentityMethod method) {
        return switch (method) {
            case RAW -> RAW;
            case FORWARD_ONLY -> FORWARD;
            case BACKWARD_FILL, CONNECTED_COMPONENTS -> BACKWARD;
        };
    }

    /**
     * Adds what a day shows of a device, or takes it away.
     *
     * @param owner of the device; empty: it has none
     * @param sign 1 or -1
     */
    void add(DeviceDay day, Bytes owner, int sign) {
        if (day.events() == 0) {
            return;
        }
        identified[RAW] += sign * day.identified();
        identified[FORWARD] += sign * day.ownedEvents();
        identified[BACKWARD] += owner.isEmpty() ? 0 : sign * day.events();
        anonymous[RAW] += day.isAnonymous() ? sign : 0;
        anonymous[FORWARD] += day.isOwnerless() ? sign : 0;
        anonymous[BACKWARD] += owner.isEmpty() ? sign : 0;
        day.users().forEach(user -> count(user, RAW, sign));
        day.owners().forEach(user -> count(user, FORWARD, sign));
        if (!owner.isEmpty()) {
            count(owner, BACKWARD, sign);
        }
    }

    private void count(Bytes user, int place, int more) {
        int[] counts = users.computeIfAbsent(user, key -> new int[METHODS]);
        counts[place] += more;
    }

    /** Adds what others have summed up. */
    void add(IdentityNote.DaySums sums) {
        for (int i = 0; i < METHODS; i++) {
            identified[i] += sums.identified().get(i);
            anonymous[i] += sums.anonymous().get(i);
        }
    }

    /** Adds what others have counted of a user. */
    void add(IdentityNote.DayUser user) {
        int[] counts = users.computeIfAbsent(user.user(), key -> new int[METHODS]);
        boolean isShown = false;
        for (int i = 0; i < METHODS; i++) {
            int before = counts[i];
            counts[i] += user.devices().get(i);
            distinct[i] += Integer.signum(counts[i]) - Integer.signum(before);
            isShown |= counts[i] != 0;
        }
        if (!isShown) {
            users.remove(user.user());
        }
    }

    /** How many identities a method shows: users, and devices that show themselves. */
    long identities(IdentityMethod method, UserGraph graph) {
        int place = place(method);
        if (method != IdentityMethod.CONNECTED_COMPONENTS) {
            return distinct[place] + anonymous[place];
        }
        Set<Bytes> labels = new HashSet<>();
        users.forEach((user, counts) -> {
            if (counts[place] > 0) {
                labels.add(graph.label(user));
            }
        });
        return labels.size() + anonymous[place];
    }

    long identifiedEvents(IdentityMethod method) {
        return identified[place(method)];
    }

    void writeTo(DataOutput out) throws IOException {
        for (int i = 0; i < METHODS; i++) {
            Wire.writeSigned(identified[i], out);
            Wire.writeSigned(anonymous[i], out);
        }
        Wire.writeUnsigned(users.size(), out);
        for (Map.Entry<Bytes, int[]> entry : users.entrySet()) {
            Wire.writeBytes(entry.getKey(), out);
            for (int count : entry.getValue()) {
                Wire.writeUnsigned(count, out);
            }
        }
    }

    static DayCounts readFrom(DataInput in) throws IOException {
        DayCounts read = new DayCounts();
        for (int i = 0; i < METHODS; i++) {
            read.identified[i] = Wire.readSigned(in);
            read.anonymous[i] = Wire.readSigned(in);
        }
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            Bytes user = Wire.readBytes(in);
            int[] counts = new int[METHODS];
            for (int i = 0; i < METHODS; i++) {
                counts[i] = Wire.readUnsigned(in);
                read.distinct[i] += Integer.signum(counts[i]);
            }
            read.users.put(user, counts);
        }
        return read;
    }

    boolean isZero() {
        for (int i = 0; i < METHODS; i++) {
            if (identified[i] != 0 || anonymous[i] != 0) {
                return false;
            }
        }
        return true;
    }
}
