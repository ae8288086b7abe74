package dev.tidemark.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * {@code tidemark run} in a process of its own, as a person starts it. The clock runs from the moment when the job's operators
 * have opened (its submission is registered) to the publication of the last record. A job that goes on is then ended.
 */
final class ProgramRun {
    private static final long PAUSE_MILLIS = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(30);

    private final Path script;
    private final Path output;
    private final Connection warehouse;
    private final String job;

    /**
     * Prepares a run.
     *
     * @param script what starts the program
     * @param output the file for what it says
     * @param warehouse a connection to the warehouse that the run publishes to
     */
    ProgramRun(Path script, Path output, Connection warehouse, String job) {
        this.script = script;
        this.output = output;
        this.warehouse = warehouse;
        this.job = job;
    }

    /** Runs until so many records are published; fails if the program does. */
    Figure until(long records, String name, Map<String, String> environment, List<String> arguments)
            throws IOException, SQLException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(script.toString(), "run")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.command().addAll(arguments);
        builder.environment().putAll(environment);
        Process process = builder.start();
        Thread end = new Thread(process::destroy);
        Runtime.getRuntime().addShutdownHook(end);
        try {
            awaitPublished(process, records);
            process.destroy();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the run of " + job + " does not end; see " + output);
            }
        } finally {
            process.destroy();
            process.waitFor();
            Runtime.getRuntime().removeShutdownHook(end);
        }
        return figure(name, records);
    }

    private void awaitPublished(Process process, long records) throws SQLException, InterruptedException, IOException {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (published() < records) {
            if (!process.isAlive() && published() < records) {
                throw new IllegalStateException(
                        "the run of " + job + " ended with status " + process.exitValue() + " and " + published()
                                + " of " + records + " records published:\n" + Files.readString(output));
            }
            if (System.nanoTime() > patience) {
                throw new IllegalStateException("the run of " + job + " has not published " + records
                        + " records within " + PATIENCE + "; see " + output);
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** The tables come with the run. */
    private long published() throws SQLException {
        if (number("select count(*) from pg_tables where schemaname = 'tidemark' and tablename = 'publications'")
                == 0) {
            return 0;
        }
        return number("select coalesce(sum(records_read), 0) from tidemark.publications where job = '" + job + "'");
    }

    private long number(String sql) throws SQLException {
        try (PreparedStatement statement = warehouse.prepareStatement(sql);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private Figure figure(String name, long records) throws SQLException {
        double seconds;
        try (PreparedStatement statement = warehouse.prepareStatement("""
                select extract(epoch from max(p.published_at) - min(s.registered_at))
                from tidemark.publications p join tidemark.submissions s using (job, submission)
                where p.job = ?""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                seconds = row.getDouble(1);
            }
        }
        return new Figure(name, records, seconds, warm());
    }

    /** Without the first publication, which Java was compiling in, and without the last, which may have waited. */
    private double warm() throws SQLException {
        try (PreparedStatement statement = warehouse.prepareStatement("""
                select count(*), coalesce(sum(records_read) filter (where publication > first), 0),
                       extract(epoch from max(published_at) - min(published_at))
                from (select p.*, min(publication) over () as first, max(publication) over () as last
                      from tidemark.publications p where job = ?) as each
                where publication < last""")) {
            statement.setString(1, job);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1) < 2 ? Figure.UNKNOWN : row.getLong(2) / row.getDouble(3);
            }
        }
    }
}
