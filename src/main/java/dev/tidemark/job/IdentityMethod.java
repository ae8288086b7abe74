package dev.tidemark.job;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How events are attributed to an identity: a user, or the device where no user is known. */
public enum IdentityMethod {
    /** The user of the event. */
    RAW,
    /** The last user that is signed in in the session, which may reach into the next day. */
    FORWARD_ONLY,
    /** The user with most events on the device. */
    BACKWARD_FILL,
    /** The least of all users who are connected over devices with a user of the device. */
    CONNECTED_COMPONENTS;

    /** As the job file writes it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The method of that word; null: there is none. */
    static @Nullable IdentityMethod of(String word) {
        return Arrays.stream(values())
                .filter(method -> method.word().equals(word))
                .findFirst()
                .orElse(null);
    }

    /** Whether a column of it depends on its own day, and how far it looks ahead, alone. */
    public ColumnKind kind() {
        return this == RAW || this == FORWARD_ONLY ? ColumnKind.LOCAL : ColumnKind.GLOBAL;
    }

    /** How many days after its own it looks at. */
    int lookAhead() {
        return this == FORWARD_ONLY ? 1 : 0;
    }
}
