@NullMarked
package dev.tidemark.membership.flink;

import org.jspecify.annotations.NullMarked;
