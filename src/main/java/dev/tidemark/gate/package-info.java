@NullMarked
package dev.tidemark.gate;

import org.jspecify.annotations.NullMarked;
