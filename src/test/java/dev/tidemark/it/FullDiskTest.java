package dev.tidemark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tidemark.kit.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk that is full: a small file system in memory, mounted in namespaces of the process's own, which takes no rights. Where
 * that is forbidden there is nothing to test with.
 */
@Timeout(300)
class FullDiskTest {
    /** Starts a program whose folder {@code $0} is a disk of 4 MiB that is full but for a few KiB. */
    private static final List<String> ON_A_FULL_DISK = List.of(
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs -o size=4m tmpfs \"$0\" && head -c 4186112 /dev/zero > \"$0/filler\" && exec \"$@\"");

    @RegisterExtension
    static final PostgresServer POSTGRES = new PostgresServer();

    @TempDir
    Path folder;

    @Test
    void checkpointsThatCannotBeWrittenEndTheJobWithOneMessageAndTheNextRunGoesOn() throws Exception {
        assumeTrue(mountsItsOwnDisks(), "namespaces of one's own");
        Path job = writeJob();
        Path disk = Files.createDirectories(folder.resolve("local"));
        List<String> starter = new ArrayList<>(ON_A_FULL_DISK);
        starter.add(disk.toString());

        String[] run = {"run", "--job", job.toString(), "--parallelism", "1", "--checkpoint-interval", "50ms"};
        try (ChildProgram program = ChildProgram.start(starter, folder, POSTGRES.address(), run)) {
            assertThat(program.status()).as(program.output()).isEqualTo(3);
            assertThat(program.output())
                    .contains("tidemark: the job was given up because its checkpoints failed: " + disk.toRealPath())
                    .contains("No space left on device")
                    .contains("What is published stays; make room there, or name another folder with TIDEMARK_LOCAL"
                            + " and run it again: it goes on from there")
                    .doesNotContain("\tat ");
        }
        List<String> published = rows();
        try (ChildProgram program = ChildProgram.start(folder, POSTGRES.address(), run)) {
            assertThat(program.status()).as(program.output()).isZero();
        }
        assertThat(rows()).isEqualTo(List.of("2024-03-10 x 20000")).containsAll(published);
        assertThat(count("select sum(records_read) from tidemark.publications")).isEqualTo(20_000);
    }

    private static boolean mountsItsOwnDisks() throws InterruptedException {
        try {
            Process trial = new ProcessBuilder(
                            "unshare",
                            "--user",
                            "--map-root-user",
                            "--mount",
                            "sh",
                            "-c",
                            "mount -t tmpfs -o size=1m tmpfs /mnt")
                    .start();
            return trial.waitFor(20, TimeUnit.SECONDS) && trial.exitValue() == 0;
        } catch (IOException absent) {
            return false;
        }
    }

    private Path writeJob() throws IOException {
        Path data = Files.createDirectories(folder.resolve("data"));
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            lines.append("{\"id\": ").append(i).append(", \"shop\": \"x\", \"at\": \"2024-03-10T10:00:00Z\"}\n");
        }
        Files.writeString(data.resolve("1.jsonl"), lines.toString());
        Files.writeString(folder.resolve("sale.avsc"), """
                {"type": "record", "name": "Sale", "fields": [
                  {"name": "id", "type": "int"},
                  {"name": "shop", "type": "string"},
                  {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}}]}
                """);
        return Files.writeString(folder.resolve("sales.yaml"), """
                formatVersion: 1
                job: sales
                source: { schema: sale.avsc, format: json, files: { path: data } }
                changes: { mode: upsert, id: id }
                time: { event: at, observed: none, frontier: event }
                partition: { grain: day, zone: UTC, lookback: 1 }
                target:
                  table: full.sales
                  key: shop
                  columns: { sales: { count: {} } }
                """);
    }

    private static List<String> rows() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = POSTGRES.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select day, shop, sales from \"full\".sales")) {
            while (row.next()) {
                rows.add(row.getString(1) + " " + row.getString(2) + " " + row.getString(3));
            }
        }
        return rows;
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
