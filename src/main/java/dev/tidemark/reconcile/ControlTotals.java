package dev.tidemark.reconcile;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What somebody else says, as text: a header and lines. Read once. */
public interface ControlTotals extends AutoCloseable {

    /** Where they come from, for people: a file, or a query. */
    String origin();

    /** What a line is called: {@code line} of a file, {@code row} of a query. */
    String lineWord();

    /** The names of the columns. */
    List<String> header();

    /**
     * Hands over every line behind the header.
     *
     * @throws ControlException if they cannot be read
     */
    void read(Consumer<Line> lines);

    @Override
    void close();

    /**
     * One line.
     *
     * @param number where it stands, for people
     * @param values null or empty: nothing is said
     */
    record Line(long number, List<@Nullable String> values) {}
}
