@NullMarked
package dev.tidemark.ledger.jdbc;

import org.jspecify.annotations.NullMarked;
