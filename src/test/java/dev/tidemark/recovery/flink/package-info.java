@NullMarked
package dev.tidemark.recovery.flink;

import org.jspecify.annotations.NullMarked;
