package dev.tidemark.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConnectionSettingsTest {
    private static final Environment SECRETS = name -> switch (name) {
        case ConnectionSettings.USER -> "ada";
        case ConnectionSettings.PASSWORD -> "s3cret";
        default -> null;
    };

    @Test
    void bothFormsOfAddressAreRead() {
        ConnectionSettings plain =
                ConnectionSettings.of("postgresql://bob:p%40s%2Bs+@db:5433/sales?sslmode=require", SECRETS);
        assertThat(plain.url()).isEqualTo("jdbc:postgresql://db:5433/sales?sslmode=require");
        assertThat(plain.user()).isEqualTo("bob");
        assertThat(plain.password()).isEqualTo("p@s+s+");

        ConnectionSettings jdbc =
                ConnectionSettings.of("jdbc:postgresql://a:1,b:2/sales?user=eve&password=x%26y", SECRETS);
        assertThat(jdbc.url()).isEqualTo("jdbc:postgresql://a:1,b:2/sales");
        assertThat(jdbc.user()).isEqualTo("eve");
        assertThat(jdbc.password()).isEqualTo("x&y");
    }

    @Test
    void theSecretIsNeitherPrintedNorSerializedWhenItComesFromTheEnvironment() throws IOException {
        ConnectionSettings settings = ConnectionSettings.of("postgresql://db/sales", SECRETS);
        assertThat(settings.user()).isEqualTo("ada");
        assertThat(settings.password()).isEqualTo("s3cret");
        assertThat(settings.toString()).isEqualTo("ada at postgresql://db/sales");
        assertThat(serialized(settings)).doesNotContain("s3cret").doesNotContain("ada");
        assertThat(ConnectionSettings.of("postgresql://bob:hush@db/sales", SECRETS)
                        .toString())
                .doesNotContain("hush");
        assertThat(serialized(Connections.to(settings))).doesNotContain("s3cret");
    }

    @Test
    void aPasswordFileIsReadWhenNeeded(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("password");
        String path = file.toString();
        ConnectionSettings settings = ConnectionSettings.of(
                "postgresql://db/sales", name -> name.equals(ConnectionSettings.PASSWORD_FILE) ? path : null);
        assertThatThrownBy(settings::password)
                .isInstanceOf(DatabaseException.class)
                .hasMessageContaining(ConnectionSettings.PASSWORD_FILE);
        Files.writeString(file, "from-file\n");
        assertThat(settings.password()).isEqualTo("from-file");
    }

    @Test
    void anAddressThatIsNoneIsRefusedWithoutRepeatingIt() {
        for (String address : new String[] {
            "mysql://u:hush@db/x",
            "postgresql://u:hush@db",
            "postgresql://u:hush@db/",
            "postgresql://u:hush@d b/x",
            "postgresql://u:hu#sh@d:x/x"
        }) {
            assertThatThrownBy(() -> ConnectionSettings.of(address, SECRETS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("postgresql://host:5432/database")
                    .hasMessageNotContaining("hush");
        }
    }

    private static String serialized(Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(value);
        }
        return bytes.toString(StandardCharsets.ISO_8859_1);
    }
}
