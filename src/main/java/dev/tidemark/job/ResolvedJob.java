package dev.tidemark.job;

/**
 * A job file together with what it came to.
 *
 * @param written the file, to tell what was said from what is a default
 */
public record ResolvedJob(JobFile written, JobPlan plan) {}
