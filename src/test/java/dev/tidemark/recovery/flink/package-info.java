/** Tests of the door to a running Flink. */
@NullMarked
package dev.tidemark.recovery.flink;

import org.jspecify.annotations.NullMarked;
