package dev.tidemark.database;

import java.io.Serializable;
import java.time.Duration;

/**
 * What a connection is for, and how long it may wait.
 *
 * @param name as {@code pg_stat_activity} shows it
 * @param lockTimeoutMillis how long a statement may wait for a lock
 * @param statementTimeoutMillis how long a statement may take
 * @param idleTimeoutMillis how long an open transaction may do nothing
 */
public record Session(String name, long lockTimeoutMillis, long statementTimeoutMillis, long idleTimeoutMillis)
        implements Serializable {

    /** For short work under locks. */
    public static Session named(String name) {
        return new Session(
                name,
                Duration.ofSeconds(30).toMillis(),
                Duration.ofMinutes(15).toMillis(),
                Duration.ofMinutes(5).toMillis());
    }

    /** For a transaction that stays open from one checkpoint to the next. */
    public Session idleFor(Duration idle) {
        return new Session(name, lockTimeoutMillis, statementTimeoutMillis, idle.toMillis());
    }

    /** For work of which a statement may wait for a lock only so long. */
    public Session waitingFor(Duration lock) {
        return new Session(name, lock.toMillis(), statementTimeoutMillis, idleTimeoutMillis);
    }
}
