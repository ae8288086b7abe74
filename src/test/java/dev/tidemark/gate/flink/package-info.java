/** Tests of the stamping operator. */
@NullMarked
package dev.tidemark.gate.flink;

import org.jspecify.annotations.NullMarked;
