package dev.tidemark.job;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who an event is told of.
 *
 * @param device text; an event without one is rejected
 * @param user text; null or empty: nobody is signed in
 * @param platform text, a change of which begins a session; null: none does
 * @param sessionGap the longest time between two events of a session, in microseconds
 */
public record IdentityPlan(
        Field device, Field user, @Nullable Field platform, long sessionGap) implements Serializable {

    /** The fields that it reads. */
    public List<Field> fields() {
        List<Field> fields = new ArrayList<>(List.of(device, user));
        if (platform != null) {
            fields.add(platform);
        }
        return fields;
    }
}
