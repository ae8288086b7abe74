package dev.tidemark.job;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What the records of a {@link JobFile} say about how they are written, beyond the types of their components. */
public final class Shape {
    private Shape() {}

    /** The key must be there. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Mandatory {
        /** A key that may stand instead. */
        String unless() default "";
    }

    /** What may be written, for people; when absent, the type says it. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface Allowed {
        String value();
    }

    /** An empty mapping may be written; it counts as empty text. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.RECORD_COMPONENT)
    public @interface OrEmptyMapping {}

    /** Instead of the mapping, the value of this component alone may be written. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    public @interface Shorthand {
        String value();
    }
}
