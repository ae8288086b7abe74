package dev.tidemark.job;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a column may be called. */
final class ColumnNames {
    /** Columns that every target has besides its own. */
    static final List<String> OWN_COLUMNS =
            List.of("_revision", "_members", "_fingerprint", "_pane", "_publication", "_published_at");

    private static final String REMOVED_COLUMN = "_removed";
    private static final Set<String> POSTGRESQL_COLUMNS = Set.of("tableoid", "xmin", "cmin", "xmax", "cmax", "ctid");

    /** Names that mean the same with quotes and without, but for their case. */
    static final Pattern SQL_NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** The most bytes that PostgreSQL keeps of a name. */
    static final int GREATEST_NAME = 63;

    private ColumnNames() {}

    /** The name of the partition column when the job file does not say it. */
    static String partitionColumn(@Nullable Grain grain) {
        return grain == Grain.HOUR ? "hour" : "day";
    }

    /** Reports a name that no column may have. */
    static void check(String path, String name, Problems problems) {
        if (!SQL_NAME.matcher(name).matches()) {
            problems.wrong(
                    path,
                    "'" + name + "' is no column name",
                    "expected letters, digits and underscores, not beginning with a digit");
        } else if (name.length() > GREATEST_NAME) {
            problems.wrong(
                    path, "column name '" + name + "' is too long", "expected at most " + GREATEST_NAME + " bytes");
        } else if (OWN_COLUMNS.contains(name) || REMOVED_COLUMN.equals(name)) {
            problems.wrong(path, "'" + name + "' is one of Tidemark's own columns", "choose another name");
        } else if (POSTGRESQL_COLUMNS.contains(name)) {
            problems.wrong(path, "'" + name + "' is one of PostgreSQL's own columns", "choose another name");
        }
    }
}
