/**
 * Tidemark on real processes, each of which can be killed: JobManager, TaskManagers, a broker, a database. Everything is
 * started by the scripts that people use. Tagged {@code cluster}: {@code scripts/test-cluster} runs them.
 *
 * <p>A test takes {@link dev.tidemark.it.cluster.LocalCluster} as an extension, a database and a topic of its own, and leaves
 * all processes running.
 */
@NullMarked
package dev.tidemark.it.cluster;

import org.jspecify.annotations.NullMarked;
