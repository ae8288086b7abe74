/** The whole job on real parts: MiniCluster, files, PostgreSQL. */
@NullMarked
package dev.tidemark.it;

import org.jspecify.annotations.NullMarked;
