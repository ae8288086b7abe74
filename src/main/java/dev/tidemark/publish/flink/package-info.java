@NullMarked
package dev.tidemark.publish.flink;

import org.jspecify.annotations.NullMarked;
