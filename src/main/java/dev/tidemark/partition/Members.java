package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.function.Consumer;

/** The members of one cell, one by one, for the columns that may have to look at all of them again. */
public interface Members {
    /** Remembers a member in place of the one with the same record id. */
    void put(Member member);

    void remove(Bytes recordId);

    void forEach(Consumer<Member> action);

    /** For jobs whose columns never look back. */
    Members NONE = new Members() {
        @Override
        public void put(Member member) {}

        @Override
        public void remove(Bytes recordId) {}

        @Override
        public void forEach(Consumer<Member> action) {
            throw new IllegalStateException("The job keeps no members");
        }
    };
}
