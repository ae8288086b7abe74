package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Members and counts in maps, which also say how often all members were looked at. */
final class FakeMembers implements Members, DistinctCounts {
    final Map<Bytes, Member> members = new LinkedHashMap<>();
    final Map<Bytes, Long> counts = new LinkedHashMap<>();
    int scans;

    @Override
    public void put(Member member) {
        members.put(member.recordId(), member);
    }

    @Override
    public void remove(Bytes recordId) {
        if (members.remove(recordId) == null) {
            throw new IllegalStateException(recordId + " is not a member");
        }
    }

    @Override
    public void forEach(Consumer<Member> action) {
        scans++;
        members.values().forEach(action);
    }

    @Override
    public long increment(Bytes value) {
        return counts.merge(value, 1L, Long::sum);
    }

    @Override
    public long decrement(Bytes value) {
        long now = counts.getOrDefault(value, 0L) - 1;
        if (now < 0) {
            throw new IllegalStateException(value + " has no count");
        }
        if (now == 0) {
            counts.remove(value);
        } else {
            counts.put(value, now);
        }
        return now;
    }
}
