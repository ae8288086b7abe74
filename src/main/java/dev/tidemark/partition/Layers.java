package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The members and counts of a cell whose two truths differ: those of the published truth in full, those of the full truth
 * as what is otherwise there.
 *
 * <p>Each layer changes alone: a change of the published one leaves the full one as it is, by writing down what it had. So a
 * change of both is one of the full truth and then one of the published; what they agree on again is not written down.
 */
public final class Layers {
    private final @Nullable Entries<Member> members;
    private final @Nullable Entries<Substitute> substitutes;
    private final @Nullable Entries<Long> counts;
    private final @Nullable Entries<Long> differences;
    private final Members publishedMembers;
    private final Members withheldMembers;
    private final DistinctCounts publishedCounts;
    private final DistinctCounts withheldCounts;

    /**
     * @param members of the published truth; null: the job keeps none
     * @param substitutes by record id, what the full truth has instead; null with {@code members}
     * @param counts of the published truth; null: the job counts nothing distinct
     * @param differences by value, how many more the full truth has; null with {@code counts}
     */
    public Layers(
            @Nullable Entries<Member> members,
            @Nullable Entries<Substitute> substitutes,
            @Nullable Entries<Long> counts,
            @Nullable Entries<Long> differences) {
        this.members = members;
        this.substitutes = substitutes;
        this.counts = counts;
        this.differences = differences;
        this.publishedMembers =
                members == null || substitutes == null ? Members.NONE : new Published(members, substitutes);
        this.withheldMembers =
                members == null || substitutes == null ? Members.NONE : new Withheld(members, substitutes);
        this.publishedCounts =
                counts == null || differences == null ? DistinctCounts.NONE : new PublishedCounts(counts, differences);
        this.withheldCounts =
                counts == null || differences == null ? DistinctCounts.NONE : new WithheldCounts(counts, differences);
    }

    /** The members of the published truth while it is the only one. */
    public Members alone() {
        return members == null ? Members.NONE : new KeptMembers(members);
    }

    /** The counts of the published truth while it is the only one. */
    public DistinctCounts countsAlone() {
        return counts == null ? DistinctCounts.NONE : new KeptCounts(counts);
    }

    Members publishedMembers() {
        return publishedMembers;
    }

    Members withheldMembers() {
        return withheldMembers;
    }

    DistinctCounts publishedCounts() {
        return publishedCounts;
    }

    DistinctCounts withheldCounts() {
        return withheldCounts;
    }

    /** The full truth becomes the published one: there is one again. */
    void publish(ValueChanges changes) {
        if (members != null && substitutes != null) {
            substitutes.forEach((id, substitute) -> set(members, id, substitute.member()));
            substitutes.clear();
        }
        if (counts != null && differences != null) {
            differences.forEach((value, more) -> {
                long before = KeptCounts.read(counts, value);
                long now = KeptCounts.write(counts, value, before + more);
                if (before == 0 && now > 0) {
                    changes.gained(value);
                } else if (before > 0 && now == 0) {
                    changes.lost(value);
                }
            });
            differences.clear();
        }
    }

    /** Forgets what only the full truth has. */
    public void forgetWithheld() {
        if (substitutes != null) {
            substitutes.clear();
        }
        if (differences != null) {
            differences.clear();
        }
    }

    /** Forgets everything. */
    public void clear() {
        if (members != null) {
            members.clear();
        }
        if (counts != null) {
            counts.clear();
        }
    }

    private static void set(Entries<Member> members, Bytes id, @Nullable Member member) {
        if (member == null) {
            members.remove(id);
        } else {
            members.put(id, member);
        }
    }

    /** What both layers have alike needs no substitute. */
    private static void settle(Entries<Member> members, Entries<Substitute> substitutes, Bytes id, Substitute stands) {
        if (Objects.equals(stands.member(), members.value(id))) {
            substitutes.remove(id);
        } else {
            substitutes.put(id, stands);
        }
    }

    private record Published(Entries<Member> members, Entries<Substitute> substitutes) implements Members {
        @Override
        public void put(Member member) {
            set(member.recordId(), member);
        }

        @Override
        public void remove(Bytes recordId) {
            set(recordId, null);
        }

        private void set(Bytes id, @Nullable Member member) {
            Substitute known = substitutes.value(id);
            Substitute stands = known == null ? new Substitute(members.value(id)) : known;
            Layers.set(members, id, member);
            settle(members, substitutes, id, stands);
        }

        @Override
        public void forEach(Consumer<Member> action) {
            members.forEach((id, member) -> action.accept(member));
        }
    }

    private record Withheld(Entries<Member> members, Entries<Substitute> substitutes) implements Members {
        @Override
        public void put(Member member) {
            settle(members, substitutes, member.recordId(), new Substitute(member));
        }

        @Override
        public void remove(Bytes recordId) {
            settle(members, substitutes, recordId, new Substitute(null));
        }

        @Override
        public void forEach(Consumer<Member> action) {
            throw new IllegalStateException("A withheld truth is looked at after it has become the published one");
        }
    }

    private record PublishedCounts(Entries<Long> counts, Entries<Long> differences) implements DistinctCounts {
        @Override
        public long increment(Bytes value) {
            return add(value, 1);
        }

        @Override
        public long decrement(Bytes value) {
            return add(value, -1);
        }

        private long add(Bytes value, long more) {
            long now = KeptCounts.write(counts, value, KeptCounts.read(counts, value) + more);
            differ(differences, value, -more);
            return now;
        }
    }

    private record WithheldCounts(Entries<Long> counts, Entries<Long> differences) implements DistinctCounts {
        @Override
        public long increment(Bytes value) {
            return add(value, 1);
        }

        @Override
        public long decrement(Bytes value) {
            return add(value, -1);
        }

        private long add(Bytes value, long more) {
            long now = KeptCounts.read(counts, value) + differ(differences, value, more);
            if (now < 0) {
                throw new IllegalStateException("a value is taken out that was never put in");
            }
            return now;
        }
    }

    private static long differ(Entries<Long> differences, Bytes value, long more) {
        long now = KeptCounts.read(differences, value) + more;
        if (now == 0) {
            differences.remove(value);
        } else {
            differences.put(value, now);
        }
        return now;
    }
}
