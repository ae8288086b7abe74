/** The stories of the example data, counted by other means than they count themselves. */
@NullMarked
package dev.tidemark.generate;

import org.jspecify.annotations.NullMarked;
