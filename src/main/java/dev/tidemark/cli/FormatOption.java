package dev.tidemark.cli;

import picocli.CommandLine.Option;

/** {@code --format} and {@code --limit}. */
final class FormatOption {
    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "table, json (an array) or csv; default: table. json and csv have every column.")
    private Format format = Format.TABLE;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many rows at most; default: 20. 0: all.")
    private long limit;

    Format format() {
        return format;
    }

    /** The limit, as a count. */
    long limit() {
        if (limit < 0) {
            throw CommandException.wrongUse("--limit must be 0 or more, not %d", limit);
        }
        return limit == 0 ? Long.MAX_VALUE : limit;
    }

    /**
     * Says what was left out: under a table, or beside what a program reads.
     *
     * @param all how many there are
     * @param countLimit a count at which counting ends
     */
    void tellRest(Console console, long all, long countLimit) {
        if (all > limit()) {
            String count =
                    all > countLimit ? "more than " + Words.number(countLimit - limit) : Words.number(all - limit);
            (format == Format.TABLE ? console.out() : console.err()).println(count + " more; --limit 0 gives all");
        }
    }
}
