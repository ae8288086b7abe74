package dev.tidemark.pipeline;

import dev.tidemark.change.RecordDecoder;
import dev.tidemark.publish.Stage;
import dev.tidemark.publish.Warehouse;
import dev.tidemark.source.SkippedFiles;
import dev.tidemark.source.StartPositions;
import java.io.Serializable;

/** The outside of the pipeline, as the composition root hands it in. All of it travels to the task managers. */
public record Ports(
        RecordDecoder.Factory decoders,
        Stage.Factory stages,
        Warehouse.Factory warehouses,
        Warehouse.PublishedPositions publishedPositions,
        SkippedFiles skippedFiles,
        StartPositions startPositions)
        implements Serializable {}
