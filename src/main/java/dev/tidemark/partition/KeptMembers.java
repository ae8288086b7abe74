package dev.tidemark.partition;

import dev.tidemark.change.Bytes;
import java.util.function.Consumer;

/** Members in entries, each under its record id. */
record KeptMembers(Entries<Member> entries) implements Members {
    @Override
    public void put(Member member) {
        entries.put(member.recordId(), member);
    }

    @Override
    public void remove(Bytes recordId) {
        entries.remove(recordId);
    }

    @Override
    public void forEach(Consumer<Member> action) {
        entries.forEach((id, member) -> action.accept(member));
    }
}
