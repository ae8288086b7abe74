/** What is said of lateness, against what is true of it. */
@NullMarked
package dev.tidemark.lateness;

import org.jspecify.annotations.NullMarked;
