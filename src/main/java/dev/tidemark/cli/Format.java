package dev.tidemark.cli;

import java.io.PrintWriter;
import java.util.List;

/** How rows are printed. */
enum Format {
    TABLE,
    JSON,
    CSV;

    /** Rows with these columns in this format. */
    Rows rows(PrintWriter out, List<String> columns) {
        return switch (this) {
            case TABLE -> new Table(out, columns);
            case JSON -> new JsonRows(out, columns);
            case CSV -> new CsvRows(out, columns);
        };
    }
}
