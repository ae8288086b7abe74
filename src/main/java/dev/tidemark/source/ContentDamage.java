package dev.tidemark.source;

import java.io.IOException;

/** The bytes of a file are not what its format wants, however often it is read. */
public final class ContentDamage extends IOException {
    private static final long serialVersionUID = 1L;

    public ContentDamage(String message) {
        super(message);
    }
}
