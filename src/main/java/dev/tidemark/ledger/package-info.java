@NullMarked
package dev.tidemark.ledger;

import org.jspecify.annotations.NullMarked;
