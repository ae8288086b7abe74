package dev.tidemark.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

final class MigrationsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @Test
    void severalProcessesMayStartAtOnceAndANewerSchemaIsRefused() throws Exception {
        List<CompletableFuture<Void>> starts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            starts.add(CompletableFuture.runAsync(() -> migrations().apply()));
        }
        for (CompletableFuture<Void> start : starts) {
            start.get(60, TimeUnit.SECONDS);
        }
        assertThat(count("select count(*) from tidemark.schema_history where version is not null and success"))
                .isEqualTo(1);
        assertThat(count("select count(*) from tidemark.jobs")).isZero();

        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into tidemark.schema_history (installed_rank, version, description, type, script,"
                    + " checksum, installed_by, execution_time, success)"
                    + " values (99, '99', 'from the future', 'SQL', 'V99__x.sql', 1, 'x', 1, true)");
        }
        assertThatThrownBy(() -> migrations().apply())
                .isInstanceOf(DatabaseException.class)
                .hasMessageContaining("newer than this program")
                .hasMessageContaining("99 (from the future)");
    }

    private static Migrations migrations() {
        return new Migrations(POSTGRES.connections(), MigrationsTest.class.getClassLoader());
    }

    private static long count(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
