@NullMarked
package dev.tidemark.job;

import org.jspecify.annotations.NullMarked;
