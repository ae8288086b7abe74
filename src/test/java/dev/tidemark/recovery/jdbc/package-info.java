@NullMarked
package dev.tidemark.recovery.jdbc;

import org.jspecify.annotations.NullMarked;
