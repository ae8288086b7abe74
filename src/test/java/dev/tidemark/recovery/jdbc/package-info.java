/** Tests of what the warehouse keeps of operations. */
@NullMarked
package dev.tidemark.recovery.jdbc;

import org.jspecify.annotations.NullMarked;
