@NullMarked
package dev.tidemark.publish.jdbc;

import org.jspecify.annotations.NullMarked;
