/** Tests of the file source. */
@NullMarked
package dev.tidemark.source.flink;

import org.jspecify.annotations.NullMarked;
