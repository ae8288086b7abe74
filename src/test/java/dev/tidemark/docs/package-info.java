/** What the pages say, held against what there is. */
@NullMarked
package dev.tidemark.docs;

import org.jspecify.annotations.NullMarked;
