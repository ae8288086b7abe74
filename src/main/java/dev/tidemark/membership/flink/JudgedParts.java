package dev.tidemark.membership.flink;

import dev.tidemark.publish.Part;
import dev.tidemark.publish.flink.PartSerializer;
import org.apache.flink.util.OutputTag;

/** The side output by which late changes, and the counts of each cut, leave the operators of this room. */
public final class JudgedParts {
    public static final OutputTag<Part> TAG = new OutputTag<>("judged-parts", PartSerializer.TYPE);

    private JudgedParts() {}
}
