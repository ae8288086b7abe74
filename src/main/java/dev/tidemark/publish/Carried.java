package dev.tidemark.publish;

import java.util.List;

/** All parts of one checkpoint of one submission that were kept for a later publication. */
public record Carried(String submission, long checkpoint, List<StagedPart> parts) {
    public Carried {
        parts = List.copyOf(parts);
    }
}
