@NullMarked
package dev.tidemark.change;

import org.jspecify.annotations.NullMarked;
