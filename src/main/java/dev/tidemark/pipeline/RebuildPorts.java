package dev.tidemark.pipeline;

import dev.tidemark.change.RecordDecoder;
import dev.tidemark.publish.Replacement;
import dev.tidemark.publish.Stage;
import java.io.Serializable;

/** The outside of a rebuild, as the composition root hands it in. All of it travels to the task managers. */
public record RebuildPorts(RecordDecoder.Factory decoders, Stage.Factory stages, Replacement.Factory replacements)
        implements Serializable {}
