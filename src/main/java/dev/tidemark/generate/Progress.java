package dev.tidemark.generate;

import java.time.LocalDate;

/** Is told from time to time how far a story has come. */
public interface Progress {
    /** All records of a day, but for those that arrive later, have been written; so many records in all. */
    void reached(LocalDate day, long records);
}
