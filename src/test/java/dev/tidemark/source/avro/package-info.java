/** Tests of container framing. */
@NullMarked
package dev.tidemark.source.avro;

import org.jspecify.annotations.NullMarked;
