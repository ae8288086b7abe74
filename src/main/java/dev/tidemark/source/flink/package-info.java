@NullMarked
package dev.tidemark.source.flink;

import org.jspecify.annotations.NullMarked;
