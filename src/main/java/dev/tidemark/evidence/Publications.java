package dev.tidemark.evidence;

import org.jspecify.annotations.Nullable;

/** Reads what each publication of a job had read, and which changes did not count in it: what global columns are as of. */
public interface Publications extends AutoCloseable {

    /** Hands over all that the bookkeeping has. */
    void read(Visitor visitor);

    @Override
    void close();

    /** Takes what is read, row by row. */
    interface Visitor {
        /** Where a log stood in a publication. */
        void stood(Stood stood);

        /** One half of a late change, whatever has become of it. */
        void late(Late late);
    }

    /**
     * Where a log stood.
     *
     * @param rebuild whether it is of a rebuild, in which late changes counted like any other
     * @param offset the next one in the split
     */
    record Stood(long publication, boolean rebuild, String log, String split, long offset) {}

    /**
     * A half of a change that did not count in its partition.
     *
     * @param partition as ISO text; null: not known
     * @param widened the publication of the widening from which on it did count; null: it did not
     */
    record Late(
            String split,
            long offset,
            @Nullable String partition,
            @Nullable Long widened) {}
}
