package dev.tidemark.database;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/** The variables of the process that asks. A remote process reads its own. */
@FunctionalInterface
public interface Environment extends Serializable {
    /** Of the process itself. */
    Environment PROCESS = System::getenv;

    /** The value of a variable; null if it is not set. */
    @Nullable
    String variable(String name);
}
