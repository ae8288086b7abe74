@NullMarked
package dev.tidemark.job.yaml;

import org.jspecify.annotations.NullMarked;
