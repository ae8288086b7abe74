package dev.tidemark.job;

import java.io.Serializable;

/** A field of the source schema that the job reads, by its name there. */
public record Field(String name, FieldType type) implements Serializable {}
