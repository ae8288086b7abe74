@NullMarked
package dev.tidemark.publish;

import org.jspecify.annotations.NullMarked;
