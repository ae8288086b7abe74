package dev.tidemark.expression;

/** The fields of one record by number, in the forms of {@link dev.tidemark.job.FieldType}. */
public interface Slots {

    boolean isNull(int slot);

    /** A fixed value that is not null. */
    long fixed(int slot);

    /** Where a variable value that is not null lies. */
    byte[] bytes(int slot);

    int start(int slot);

    int length(int slot);

    void setNull(int slot);

    void setFixed(int slot, long value);

    /** The range stays unchanged until the next record. */
    void setBytes(int slot, byte[] source, int from, int count);

    /** The slot has no value because it could not be computed. */
    void spoil(int slot, String why);
}
