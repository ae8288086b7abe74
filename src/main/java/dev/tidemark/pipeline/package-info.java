@NullMarked
package dev.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
