package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import dev.tidemark.wire.Wire;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which users are connected, over whatever number of devices. Mutable.
 *
 * <p>What is joined for good, by days that no longer change, is a union-find that only grows. What is joined by days that
 * may still change lies over it, device by device, and is joined anew from there whenever it is asked for after a change: so
 * what is taken out splits again, and the work is that of the shared devices of the remembered days, not of the history.
 * A device of one user joins nobody and is not in here.
 */
final class UserGraph {
    /** By user: another of his group, lesser than he; a user without entry is the least of his. */
    private final Map<Bytes, Bytes> lasting = new HashMap<>();

    private final Map<Bytes, List<Bytes>> joins = new HashMap<>();
    private @Nullable Map<Bytes, Bytes> passing = new HashMap<>();

    /** Joins two users for good. */
    void joinForGood(Bytes one, Bytes other) {
        if (union(lasting, find(lasting, one), find(lasting, other))) {
            passing = null;
        }
    }

    /** Says which users a device joins from now on. */
    void join(Bytes device, List<Bytes> users) {
        if (users.isEmpty()) {
            joins.remove(device);
        } else {
            joins.put(device, users);
        }
        passing = null;
    }

    /** The least of all users who are connected with one. */
    Bytes label(Bytes user) {
        Map<Bytes, Bytes> over = passing;
        if (over == null) {
            over = new HashMap<>();
            for (List<Bytes> users : joins.values()) {
                Bytes first = find(lasting, users.get(0));
                for (Bytes each : users) {
                    union(over, find(over, first), find(over, find(lasting, each)));
                }
            }
            passing = over;
        }
        return find(over, find(lasting, user));
    }

    private static boolean union(Map<Bytes, Bytes> parents, Bytes one, Bytes other) {
        int order = one.compareTo(other);
        if (order == 0) {
            return false;
        }
        parents.put(order < 0 ? other : one, order < 0 ? one : other);
        return true;
    }

    /** Halves the way while it goes. */
    private static Bytes find(Map<Bytes, Bytes> parents, Bytes user) {
        Bytes at = user;
        Bytes parent = parents.get(at);
        while (parent != null) {
            Bytes next = parents.get(parent);
            if (next != null) {
                parents.put(at, next);
            }
            at = parent;
            parent = next;
        }
        return at;
    }

    void writeTo(DataOutput out) throws IOException {
        Wire.writeUnsigned(lasting.size(), out);
        for (Map.Entry<Bytes, Bytes> entry : lasting.entrySet()) {
            Wire.writeBytes(entry.getKey(), out);
            Wire.writeBytes(entry.getValue(), out);
        }
        Wire.writeUnsigned(joins.size(), out);
        for (Map.Entry<Bytes, List<Bytes>> entry : joins.entrySet()) {
            Wire.writeBytes(entry.getKey(), out);
            Wire.writeUnsigned(entry.getValue().size(), out);
            for (Bytes user : entry.getValue()) {
                Wire.writeBytes(user, out);
            }
        }
    }

    static UserGraph readFrom(DataInput in) throws IOException {
        UserGraph graph = new UserGraph();
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            graph.lasting.put(Wire.readBytes(in), Wire.readBytes(in));
        }
        for (int rest = Wire.readUnsigned(in); rest > 0; rest--) {
            Bytes device = Wire.readBytes(in);
            List<Bytes> users = new ArrayList<>();
            for (int more = Wire.readUnsigned(in); more > 0; more--) {
                users.add(Wire.readBytes(in));
            }
            graph.joins.put(device, List.copyOf(users));
        }
        graph.passing = null;
        return graph;
    }
}
