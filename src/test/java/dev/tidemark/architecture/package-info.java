/** The house rules: who may see whom, and what is not written anywhere. */
@NullMarked
package dev.tidemark.architecture;

import org.jspecify.annotations.NullMarked;
