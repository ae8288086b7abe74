package dev.tidemark.source;

import java.io.IOException;
import java.io.InputStream;

/** The bytes of one file after decompression. They can be read more than once, and are the same each time. */
public interface Content {

    /**
     * Opens the content at a position in its bytes. The stream throws {@link ContentDamage} where the compressed file
     * breaks off or is damaged, and another {@link IOException} when the file cannot be read now.
     */
    InputStream open(long position) throws IOException;
}
