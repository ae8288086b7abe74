/** Tests of decoding. */
@NullMarked
package dev.tidemark.change.avro;

import org.jspecify.annotations.NullMarked;
