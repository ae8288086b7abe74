package dev.tidemark.source.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.tidemark.job.JobPlan.Logs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceFolderTest {
    @TempDir
    Path folder;

    @BeforeEach
    void putFiles() {
        SourceFiles.put(folder.resolve("a.json"), "1\n");
        SourceFiles.put(folder.resolve("b/c.json"), "2\n");
    }

    @Test
    void aLinkThatLeadsNowhereStopsTheReaderInsteadOfHidingItsFolder() throws IOException {
        Files.createSymbolicLink(folder.resolve("b/d.json"), folder.resolve("nowhere"));

        assertThatThrownBy(() -> source().list(""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(folder.resolve("b/d.json") + " is listed but cannot be reached")
                .hasMessageContaining("mend or remove it");
    }

    @Test
    void whatTheSourceSkipsNeedNotBeReachable() throws IOException {
        Files.createSymbolicLink(folder.resolve(".#a.json"), folder.resolve("somebody@somewhere"));
        Files.createSymbolicLink(folder.resolve("b/_d.json"), folder.resolve("nowhere"));
        Files.createSymbolicLink(folder.resolve("b/d.json.tmp"), folder.resolve("nowhere"));

        assertThat(source().list("")).extracting(FoundFile::name).containsExactly("a.json", "b/c.json");
    }

    @Test
    void aPathThatNoKeyCouldHoldIsRefusedBeforeItIsRead() throws IOException {
        Path deep = folder;
        for (int i = 0; i < 10; i++) {
            deep = deep.resolve("n".repeat(220));
        }
        SourceFiles.put(deep.resolve("a.json"), "3\n");

        assertThatThrownBy(() -> source().list(""))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("The path of a file under the source folder has 2216 bytes, and at most 2000")
                .hasMessageContaining("Shorten it");
    }

    @Test
    void aFolderThatMayNotBeReadIsNoEmptyFolder() throws IOException {
        Path closed = folder.resolve("b");
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("-wx------"));
        try {
            assumeThat(Files.isReadable(closed)).as("root reads everything").isFalse();

            assertThatThrownBy(() -> source().list(""))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(closed + " cannot be read");
        } finally {
            Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
        }
    }

    private SourceFolder source() throws IOException {
        return new SourceFolder(folder.toString(), Logs.SOURCE);
    }
}
