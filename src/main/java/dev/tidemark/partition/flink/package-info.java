@NullMarked
package dev.tidemark.partition.flink;

import org.jspecify.annotations.NullMarked;
