@NullMarked
package dev.tidemark.partition;

import org.jspecify.annotations.NullMarked;
