@NullMarked
package dev.tidemark.lateness.jdbc;

import org.jspecify.annotations.NullMarked;
