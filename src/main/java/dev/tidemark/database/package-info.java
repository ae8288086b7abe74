@NullMarked
package dev.tidemark.database;

import org.jspecify.annotations.NullMarked;
