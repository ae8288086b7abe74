@NullMarked
package dev.tidemark;

import org.jspecify.annotations.NullMarked;
