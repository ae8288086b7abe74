/** The promises of the contract, by name, over the whole job. */
@NullMarked
package dev.tidemark.it;

import org.jspecify.annotations.NullMarked;
