package dev.tidemark.job.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tidemark.job.JobFileException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.Problem;
import dev.tidemark.job.ResolvedJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A job file to be edited line by line, read as if it lay beside the test schema. */
record JobText(Path folder, String text) {
    static final Path RESOURCES = Path.of("src/test/resources/job");

    /** The least that a job file must say, in a folder of its own. */
    static JobText least(Path folder) {
        try {
            Files.copy(RESOURCES.resolve("order-item.avsc"), folder.resolve("order-item.avsc"));
            return new JobText(folder, Files.readString(RESOURCES.resolve("least.yaml")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** With the text in place of another that is there once. */
    JobText with(String from, String to) {
        assertThat(text).containsOnlyOnce(from);
        return new JobText(folder, text.replace(from, to));
    }

    /** With further lines after the one that begins so; they are indented already. */
    JobText after(String line, String further) {
        int start = text.indexOf(line);
        assertThat(start).as(line).isNotNegative();
        int end = text.indexOf('\n', start) + 1;
        return new JobText(folder, text.substring(0, end) + further + "\n" + text.substring(end));
    }

    /** With one value column instead of the count. */
    JobText column(String column) {
        return with("lines: { count: {} }", column);
    }

    JobPlan plan() {
        return resolved(Map.of()).plan();
    }

    ResolvedJob resolved(Map<String, String> environment) {
        return JobFiles.resolve(written(), environment);
    }

    /** What is wrong with it, without the name of the file. */
    List<String> problems() {
        return problems(Map.of());
    }

    List<String> problems(Map<String, String> environment) {
        Path file = written();
        JobFileException refused = catchThrowableOfType(JobFileException.class, () -> JobFiles.read(file, environment));
        assertThat(refused).as("the job file must be refused").isNotNull();
        return refused.problems().stream()
                .map(Problem::text)
                .map(text -> text.substring(file.toString().length() + 1).strip())
                .toList();
    }

    private Path written() {
        try {
            return Files.writeString(folder.resolve("job.yaml"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
