package dev.tidemark.identity;

import dev.tidemark.change.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Sums up, day by day, what changes when devices are known otherwise than before. Mutable. */
public final class DeviceEffects {
    private final Sessions sessions;
    private final Map<Long, DayCounts> days = new HashMap<>();
    private final List<IdentityNote> joins = new ArrayList<>();

    public DeviceEffects(Sessions sessions) {
        this.sessions = sessions;
    }

    /** Takes in that a device which was known as one history is known as another, with the same forgotten days. */
    public void replace(Bytes device, DeviceHistory before, DeviceHistory after) {
        Bytes ownerBefore = before.owner();
        Bytes owner = after.owner();
        Set<Long> unlike = new HashSet<>(before.daysUnlike(after));
        if (!owner.equals(ownerBefore)) {
            unlike.addAll(before.days());
            unlike.addAll(after.days());
        }
        for (long day : unlike) {
            DayCounts counts = days.computeIfAbsent(day, key -> new DayCounts());
            counts.add(before.day(day, sessions), ownerBefore, -1);
            counts.add(after.day(day, sessions), owner, 1);
        }
        tellJoins(device, before, after);
    }

    /** Takes in that some days of a device are forgotten: they show what they did, and what they join is joined for good. */
    public void forget(Bytes device, DeviceHistory before, DeviceHistory after) {
        tellJoins(device, before, after);
    }

    private void tellJoins(Bytes device, DeviceHistory before, DeviceHistory after) {
        List<Bytes> joined = after.joins();
        if (!joined.equals(before.joins())) {
            joins.add(new IdentityNote.Joins(device, joined));
        }
    }

    /** Tells what has come together since the last time. */
    public void drain(Consumer<IdentityNote> receiver) {
        days.forEach((day, counts) -> {
            if (!counts.isZero()) {
                receiver.accept(new IdentityNote.DaySums(day, list(counts.identified), list(counts.anonymous)));
            }
            counts.users.forEach((user, devices) -> {
                if (Arrays.stream(devices).anyMatch(more -> more != 0)) {
                    receiver.accept(new IdentityNote.DayUser(
                            day, user, Arrays.stream(devices).boxed().collect(Collectors.toList())));
                }
            });
        });
        joins.forEach(receiver);
        days.clear();
        joins.clear();
    }

    private static List<Long> list(long[] numbers) {
        return Arrays.stream(numbers).boxed().collect(Collectors.toList());
    }
}
