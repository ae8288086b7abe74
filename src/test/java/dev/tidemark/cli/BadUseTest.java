package dev.tidemark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tidemark.cli.Tidemark.Result;
import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A database that refuses: one message, exit status 3, nothing touched. */
final class BadUseTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    private Tidemark tidemark;

    @BeforeEach
    void createJob() throws IOException, SQLException {
        execute("drop schema if exists tidemark, tidemark_staging, shop cascade");
        execute("drop role if exists weak");
        tidemark = new Tidemark(folder).with("TIDEMARK_WAREHOUSE", POSTGRES.address());
        tidemark.write("data/1.jsonl", """
                {"id": "a", "shop": "x", "amount": 5, "at": "2024-03-10T10:00:00Z", "seen": "2024-03-10T10:01:00Z"}
                """);
    }

    @Test
    void aTargetThatSomebodyHasLockedIsToldWithinSeconds() throws SQLException {
        tidemark.run("init");
        Result locked;
        try (Connection other = POSTGRES.connect();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("lock table shop.sales_by_day in access exclusive mode");
            locked = tidemark.run("run", "--parallelism", "1");
            other.rollback();
        }

        assertThat(afterFirstLine(locked.err()))
                .startsWith("tidemark: could not prepare the target shop.sales_by_day of the job sales: ")
                .endsWith(
                        "(SQLSTATE 55P03, after 2 tries); another transaction holds the lock: see pg_stat_activity and"
                                + " pg_locks\n")
                .hasLineCount(1);
        assertThat(locked.status()).isEqualTo(3);
        assertThat(one("select count(*) from shop.sales_by_day")).isEqualTo("0");
        assertThat(tidemark.run("run", "--parallelism", "1").status()).isZero();
    }

    @Test
    void aUserWhoMayCreateNothingIsToldWhatToGrant() throws SQLException {
        execute("create role weak login password 'weak'");

        Result result = tidemark.run("run", "--warehouse", POSTGRES.address("weak:weak"));

        assertThat(result.err())
                .contains("permission denied for database ")
                .contains("the user lacks this right: let the owner `grant create on database ")
                .contains(" to USER`, or connect as another user");
        assertThat(result.status()).isEqualTo(3);
        assertThat(one("select count(*) from pg_namespace where nspname ~ '^(tidemark|shop)'"))
                .isEqualTo("0");
    }

    @Test
    void aUserWhoMayNotWriteTheTargetIsToldWhatToGrant() throws SQLException {
        tidemark.run("init");
        execute("create role weak login password 'weak'");
        execute("grant usage, create on schema tidemark, tidemark_staging to weak");
        execute("grant all on all tables in schema tidemark, tidemark_staging to weak");
        execute("grant usage on schema shop to weak");

        Result result = tidemark.run("run", "--no-init", "--warehouse", POSTGRES.address("weak:weak"));

        assertThat(afterFirstLine(result.err()))
                .contains("permission denied for table sales_by_day")
                .contains("let the owner `grant select, insert, update, delete on sales_by_day to USER`")
                .hasLineCount(1);
        assertThat(result.status()).isEqualTo(3);
        assertThat(one("select count(*) from shop.sales_by_day")).isEqualTo("0");
        execute("drop owned by weak");
    }

    private static String afterFirstLine(String text) {
        return text.substring(text.indexOf('\n') + 1);
    }

    private static String one(String query) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
