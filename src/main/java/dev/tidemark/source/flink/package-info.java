/**
 * The file source: folders of files as logs, each read in name order by one reader.
 *
 * <p>Takes a {@link dev.tidemark.job.JobPlan.SourcePlan}, gives a stream of {@link dev.tidemark.change.RawRecord}. May
 * touch Flink and, through Flink's file systems, the files. Promises that a log's records and their positions are the
 * same in every run, restarts and rescaling included, and that a file that changes after it was begun is not passed over.
 */
@NullMarked
package dev.tidemark.source.flink;

import org.jspecify.annotations.NullMarked;
