@NullMarked
package dev.tidemark.membership;

import org.jspecify.annotations.NullMarked;
