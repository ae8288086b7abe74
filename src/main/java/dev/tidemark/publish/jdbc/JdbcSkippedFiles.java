package dev.tidemark.publish.jdbc;

import dev.tidemark.database.Connections;
import dev.tidemark.database.Session;
import dev.tidemark.database.Transactions;
import dev.tidemark.source.SkippedFiles;
import java.sql.PreparedStatement;

/** Records the files that were not read because they sort before one that was. Seldom called; connects each time. */
public final class JdbcSkippedFiles implements SkippedFiles {
    private static final long serialVersionUID = 1L;

    private final String job;
    private final Connections connections;

    public JdbcSkippedFiles(String job, Connections connections) {
        this.job = job;
        this.connections = connections;
    }

    @Override
    public void skipped(String log, String path) {
        try (Transactions transactions = new Transactions(connections, Session.named("tidemark files " + job))) {
            transactions.execute("record that the file " + path + " is skipped", connection -> {
                try (PreparedStatement statement = connection.prepareStatement("""
                        insert into tidemark.skipped_files (job, path, found_at)
                        values (?, ?, clock_timestamp()) on conflict do nothing""")) {
                    statement.setString(1, job);
                    statement.setString(2, path);
                    statement.executeUpdate();
                }
            });
        }
    }
}
