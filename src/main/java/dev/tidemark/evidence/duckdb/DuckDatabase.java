package dev.tidemark.evidence.duckdb;

import dev.tidemark.evidence.EvidenceException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import org.duckdb.DuckDBConnection;

/** Opens DuckDB files with bounds, and says what went wrong in words. */
final class DuckDatabase {
    private DuckDatabase() {}

    /**
     * Opens a file, which is made if it is not there.
     *
     * @param memoryMegabytes what DuckDB may hold in memory; the rest is spilled beside the file
     */
    static DuckDBConnection open(Path file, long memoryMegabytes, int threads) {
        Properties settings = new Properties();
        settings.setProperty("memory_limit", memoryMegabytes + "MB");
        settings.setProperty("threads", Integer.toString(threads));
        settings.setProperty("temp_directory", file + ".spilled");
        // The order in which rows come is asked for wherever it matters.
        settings.setProperty("preserve_insertion_order", "false");
        // Results of millions of rows are read once, from their beginning to their end.
        settings.setProperty("jdbc_stream_results", "true");
        settings.setProperty("autoinstall_known_extensions", "false");
        settings.setProperty("autoload_known_extensions", "false");
        try {
            return (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + file, settings);
        } catch (SQLException failure) {
            throw failed("open " + file, failure);
        }
    }

    static void execute(Connection connection, String what, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw failed(what, failure);
        }
    }

    /** The one number that a question has for an answer. */
    static long number(Connection connection, String what, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException failure) {
            throw failed(what, failure);
        }
    }

    static EvidenceException failed(String what, SQLException failure) {
        String said = String.valueOf(failure.getMessage()).strip();
        int lineEnd = said.indexOf('\n');
        String message = lineEnd < 0 ? said : said.substring(0, lineEnd);
        String wayOut = said.contains("Out of Memory")
                ? "; give it more with --memory"
                : said.contains("No space left") || said.contains("max_temp_directory_size")
                        ? "; the folder of TIDEMARK_LOCAL needs more space"
                        : "";
        return new EvidenceException("could not " + what + ": " + message + wayOut, failure);
    }
}
