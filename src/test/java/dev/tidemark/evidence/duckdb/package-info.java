/** Tests of the evidence. */
@NullMarked
package dev.tidemark.evidence.duckdb;

import org.jspecify.annotations.NullMarked;
