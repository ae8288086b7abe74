package dev.tidemark.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tidemark.kit.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TransactionsTest {
    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    private static final Transactions.Repetition QUICK =
            new Transactions.Repetition(5, 2, Duration.ofMillis(1), Duration.ofMillis(4));

    @Test
    void sessionsBehaveAlikeWhateverTheDatabaseHasForDefaults() {
        try (Transactions transactions = new Transactions(POSTGRES.connections(), Session.named("who"))) {
            String settings = transactions.run("look", connection -> {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("select concat_ws(' ', current_setting('timezone'),"
                                + " current_setting('synchronous_commit'), current_setting('search_path'),"
                                + " current_setting('application_name'), current_setting('lock_timeout'),"
                                + " timestamptz '2024-01-01 00:00:00Z')")) {
                    row.next();
                    return row.getString(1);
                }
            });
            assertThat(settings).isEqualTo("UTC on pg_catalog who 30s 2024-01-01 00:00:00+00");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "40001,5", "40P01,5", "55P03,5", "08006,5", "57P01,5", "57P03,5", "53300,5", "53100,2", "42703,1", "23505,1"
    })
    void onlyPassingFailuresAreTriedAgainAndFinitely(String state, int tries) {
        AtomicInteger tried = new AtomicInteger();
        try (Transactions transactions = new Transactions(POSTGRES.connections(), Session.named("tries"), QUICK)) {
            assertThatThrownBy(() -> transactions.execute("do it", connection -> {
                        tried.incrementAndGet();
                        throw new SQLException("no", state);
                    }))
                    .isInstanceOf(DatabaseException.class)
                    .hasMessageContaining("could not do it: no (SQLSTATE " + state);
        }
        assertThat(tried).hasValue(tries);
    }

    @Test
    void theFirstFailureIsNotHiddenByThoseOfRollbackAndClose() {
        Connections failing = session -> {
            Connection real = POSTGRES.connections().open(session);
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("rollback")
                                || method.getName().equals("close")) {
                            real.close();
                            throw new SQLException("second " + method.getName());
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        };
        try (Transactions transactions = new Transactions(failing, Session.named("first"), QUICK)) {
            assertThatThrownBy(() -> transactions.execute("do it", connection -> {
                        throw new SQLException("first", "22012");
                    }))
                    .hasMessageContaining("first (SQLSTATE 22012)")
                    .cause()
                    .satisfies(cause -> assertThat(cause.getSuppressed())
                            .extracting(Throwable::getMessage)
                            .containsExactly("second rollback"));
        }
    }

    @Test
    void uncheckedExceptionsPassAndRollBack() throws SQLException {
        try (Transactions transactions = new Transactions(POSTGRES.connections(), Session.named("passes"))) {
            transactions.execute(
                    "create", connection -> connection.createStatement().execute("create table public.t (x int)"));
            assertThatThrownBy(() -> transactions.execute("insert", connection -> {
                        connection.createStatement().execute("insert into public.t values (1)");
                        throw new IllegalStateException("mine");
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("mine");
            int rows = transactions.run("count", connection -> {
                ResultSet row = connection.createStatement().executeQuery("select count(*) from public.t");
                row.next();
                return row.getInt(1);
            });
            assertThat(rows).isZero();
        }
    }
}
