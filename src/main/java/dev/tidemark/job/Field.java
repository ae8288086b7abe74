package dev.tidemark.job;

import java.io.Serializable;

/** A field of the source schema that the job reads, by its name there: in a nested record, its dotted path. */
public record Field(String name, FieldType type) implements Serializable {

    /** What a key column of the target is called after it: the last part of the path. */
    public String column() {
        return name.substring(name.lastIndexOf('.') + 1);
    }
}
