package dev.tidemark.database;

import java.io.IOException;
import java.io.Serializable;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where the warehouse is and who asks.
 *
 * <p>Addresses are {@code jdbc:postgresql://host:port/db?...} or {@code postgresql://user:password@host:port/db?...}; what
 * stands behind the question mark goes to the driver ({@code sslmode} and the like). User and password are looked for in
 * the address, then in the environment ({@link #USER}, {@link #PASSWORD}, or the file that {@link #PASSWORD_FILE} names).
 * Those of the environment and of the file are read where a connection is opened and are never part of the serialized
 * form; {@link #toString} shows no secret.
 */
public final class ConnectionSettings implements Serializable {
    private static final long serialVersionUID = 1L;

    public static final String USER = "TIDEMARK_WAREHOUSE_USER";
    public static final String PASSWORD = "TIDEMARK_WAREHOUSE_PASSWORD";
    public static final String PASSWORD_FILE = "TIDEMARK_WAREHOUSE_PASSWORD_FILE";

    private static final String JDBC = "jdbc:";
    private static final String SCHEME = "postgresql://";
    private static final String SHORT_SCHEME = "postgres://";

    private final String url;
    private final @Nullable String addressUser;
    private final @Nullable String addressPassword;
    private final Environment environment;

    private ConnectionSettings(
            String url, @Nullable String addressUser, @Nullable String addressPassword, Environment environment) {
        this.url = url;
        this.addressUser = addressUser;
        this.addressPassword = addressPassword;
        this.environment = environment;
    }

    /** Reads an address; the rest comes from the environment of the process that connects. */
    public static ConnectionSettings of(String address) {
        return of(address, Environment.PROCESS);
    }

    /**
     * Reads an address.
     *
     * @throws IllegalArgumentException if it is none of PostgreSQL; the message does not repeat a password
     */
    public static ConnectionSettings of(String address, Environment environment) {
        String plain = address.startsWith(JDBC) ? address.substring(JDBC.length()) : address;
        if (plain.startsWith(SHORT_SCHEME)) {
            plain = SCHEME + plain.substring(SHORT_SCHEME.length());
        }
        if (!plain.startsWith(SCHEME)) {
            throw new IllegalArgumentException("the address of the warehouse must begin with jdbc:postgresql:// or"
                    + " postgresql://, for instance postgresql://host:5432/database");
        }
        int question = plain.indexOf('?');
        String authorityAndPath =
                question < 0 ? plain.substring(SCHEME.length()) : plain.substring(SCHEME.length(), question);
        String query = question < 0 ? "" : plain.substring(question + 1);

        int slash = authorityAndPath.indexOf('/');
        String authority = slash < 0 ? authorityAndPath : authorityAndPath.substring(0, slash);
        String path = slash < 0 ? "" : authorityAndPath.substring(slash);
        if (path.length() < 2) {
            throw new IllegalArgumentException("the address of the warehouse names no database; it looks like"
                    + " postgresql://host:5432/database");
        }
        String user = null;
        String password = null;
        int at = authority.lastIndexOf('@');
        if (at >= 0) {
            String login = authority.substring(0, at);
            int colon = login.indexOf(':');
            user = decoded(colon < 0 ? login : login.substring(0, colon));
            password = colon < 0 ? null : decoded(login.substring(colon + 1));
            authority = authority.substring(at + 1);
        }
        List<String> kept = new ArrayList<>();
        for (String parameter : query.isEmpty() ? List.<String>of() : List.of(query.split("&", -1))) {
            String name = parameter.contains("=") ? parameter.substring(0, parameter.indexOf('=')) : parameter;
            String value = decoded(parameter.substring(Math.min(parameter.length(), name.length() + 1)));
            switch (name.toLowerCase(Locale.ROOT)) {
                case "user" -> user = value;
                case "password" -> password = value;
                default -> kept.add(parameter);
            }
        }
        requireHost(authority);
        String url = JDBC + SCHEME + authority + path + (kept.isEmpty() ? "" : "?" + String.join("&", kept));
        return new ConnectionSettings(url, user, password, environment);
    }

    /** The JDBC address without user and password. */
    public String url() {
        return url;
    }

    /** Who connects; null: the driver decides. */
    public @Nullable String user() {
        return addressUser != null ? addressUser : environment.variable(USER);
    }

    /**
     * The secret, read anew from where it is kept; null: none is needed, or the driver finds its own ({@code ~/.pgpass}).
     *
     * @throws DatabaseException if the password file cannot be read
     */
    @Nullable
    String password() {
        if (addressPassword != null) {
            return addressPassword;
        }
        String password = environment.variable(PASSWORD);
        if (password != null) {
            return password;
        }
        String file = environment.variable(PASSWORD_FILE);
        if (file == null) {
            return null;
        }
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            throw new DatabaseException(
                    "the password file " + file + " named by " + PASSWORD_FILE + " cannot be read: " + e.getMessage(),
                    e);
        }
    }

    @Override
    public String toString() {
        String user = user();
        return (user == null ? "" : user + " at ") + url.substring(JDBC.length());
    }

    private static void requireHost(String authority) {
        try {
            for (String host : authority.split(",", -1)) {
                new URI(SCHEME + host).parseServerAuthority();
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "the address of the warehouse has no host that can be read; it looks like postgresql://host:5432/database"
                            + " (characters such as @ : / in a password are written as %40 %3A %2F)");
        }
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
