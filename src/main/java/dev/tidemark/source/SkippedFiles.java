package dev.tidemark.source;

import java.io.Serializable;

/**
 * Hears of files that are not read because they came to a watched folder after a file that sorts behind them was begun.
 * Called once for each file, and again if the job is restored to a checkpoint from before it.
 */
@FunctionalInterface
public interface SkippedFiles extends Serializable {

    /**
     * Hears of one file.
     *
     * @param path relative to the source folder
     */
    void skipped(String log, String path);
}
