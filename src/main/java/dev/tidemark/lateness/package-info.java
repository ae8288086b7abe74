@NullMarked
package dev.tidemark.lateness;

import org.jspecify.annotations.NullMarked;
