package dev.tidemark.job.yaml;

import dev.tidemark.job.JobFile;
import dev.tidemark.job.JobFileException;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobResolver;
import dev.tidemark.job.Problems;
import dev.tidemark.job.ResolvedJob;
import dev.tidemark.job.Schemas;
import dev.tidemark.job.SourceSchema;
import dev.tidemark.job.WriterSchemas;
import dev.tidemark.job.WriterSchemas.Known;
import dev.tidemark.job.avro.AvroSchemas;
import dev.tidemark.job.sql.SqlExpressions;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads job files. */
public final class JobFiles {
    private static final String SCHEMA_SUFFIX = ".avsc";

    private JobFiles() {}

    /**
     * The plan of the job file.
     *
     * @param file the job file; problems call it by this path
     * @param environment the variables that the file may name
     * @throws JobFileException with every problem of the file
     */
    public static JobPlan read(Path file, Map<String, String> environment) {
        return resolve(file, environment).plan();
    }

    /**
     * The job file, as it was written and resolved.
     *
     * @param file the job file; problems call it by this path
     * @param environment the variables that the file may name
     * @throws JobFileException with every problem of the file
     */
    public static ResolvedJob resolve(Path file, Map<String, String> environment) {
        return resolve(file, environment, UnaryOperator.identity());
    }

    /**
     * The job file with something changed before it is resolved, for commands that look at more than the job does.
     *
     * @throws JobFileException with every problem of the file as it was changed
     */
    public static ResolvedJob resolve(Path file, Map<String, String> environment, UnaryOperator<JobFile> change) {
        Problems problems = new Problems(file.toString());
        String text = text(file, "", "", problems);
        Node root = text == null ? null : root(text, problems);
        JobFile bound =
                root == null ? null : new Binder(new Variables(environment), problems).bind(root, JobFile.class, "");
        if (bound == null) {
            throw problems.exception();
        }
        JobFile written = change.apply(bound);
        Path parent = file.toAbsolutePath().normalize().getParent();
        Path folder = parent == null ? file.toAbsolutePath() : parent;
        Schemas ofSource = ofSource(written.source(), folder, problems);
        Schemas ofHistory = ofHistory(written.history(), ofSource, folder, problems);
        return new ResolvedJob(
                written, JobResolver.resolve(written, ofSource, ofHistory, folder, new SqlExpressions(), problems));
    }

    private static @Nullable Node root(String text, Problems problems) {
        LoadSettings settings = LoadSettings.builder().setUseMarks(true).build();
        try {
            Iterator<Node> documents =
                    new Compose(settings).composeAllFromString(text).iterator();
            if (!documents.hasNext()) {
                problems.at(0, "", "is empty", "expected a job");
                return null;
            }
            Node first = documents.next();
            while (documents.hasNext()) {
                int line = documents.next().getStartMark().map(Mark::getLine).orElse(0) + 1;
                problems.at(line, "", "another document begins", "expected one document a file");
            }
            return first;
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark().map(Mark::getLine).orElse(-1) + 1;
            problems.at(line, "", "is not YAML: " + e.getProblem(), hint(text, line));
        } catch (YamlEngineException e) {
            problems.at(0, "", "is not YAML: " + e.getMessage(), "");
        }
        return null;
    }

    private static String hint(String text, int line) {
        boolean hasVariable =
                text.lines().skip(Math.max(line - 1, 0)).findFirst().orElse("").contains("${");
        return hasVariable ? "inside of { } and [ ] a variable needs quotes: \"${NAME}\"" : "";
    }

    private static Schemas ofSource(JobFile.@Nullable Source source, Path folder, Problems problems) {
        String name = source == null ? null : source.schema();
        SourceSchema reader = name == null ? null : schema(name, "source.schema", folder, problems);
        JobFile.Kafka kafka = source == null ? null : source.kafka();
        return new Schemas(reader, writerSchemas(kafka, "source.kafka", reader, folder, problems));
    }

    /** A history without a schema of its own has the source's. */
    private static Schemas ofHistory(
            JobFile.@Nullable History history, Schemas ofSource, Path folder, Problems problems) {
        String name = history == null ? null : history.schema();
        SourceSchema reader = name == null ? ofSource.reader() : schema(name, "history.schema", folder, problems);
        JobFile.HistoryKafka kafka = history == null ? null : history.kafka();
        return new Schemas(
                reader,
                writerSchemas(kafka == null ? null : kafka.asSource(), "history.kafka", reader, folder, problems));
    }

    private static WriterSchemas writerSchemas(
            JobFile.@Nullable Kafka kafka, String path, @Nullable SourceSchema reader, Path folder, Problems problems) {
        if (kafka == null) {
            return WriterSchemas.NONE;
        }
        String writer = kafka.writerSchema();
        String schemas = kafka.schemas();
        return new WriterSchemas(
                reader == null ? null : AvroSchemas.known("", reader.json()),
                writer == null ? null : known("", writer, path + ".writerSchema", folder, problems),
                schemas == null ? null : schemaFolder(schemas, path + ".schemas", folder, problems));
    }

    private static @Nullable List<Known> schemaFolder(String name, String path, Path folder, Problems problems) {
        List<Known> schemas = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.resolve(name), "*" + SCHEMA_SUFFIX)) {
            for (Path file : files) {
                String base = String.valueOf(file.getFileName());
                Known schema = known(
                        base.substring(0, base.length() - SCHEMA_SUFFIX.length()),
                        name + "/" + base,
                        path,
                        folder,
                        problems);
                if (schema != null) {
                    schemas.add(schema);
                }
            }
        } catch (NotDirectoryException e) {
            problems.wrong(path, "'" + name + "' is no folder", "");
            return null;
        } catch (NoSuchFileException e) {
            problems.wrong(path, "'" + name + "' does not exist", "");
            return null;
        } catch (InvalidPathException | IOException e) {
            problems.wrong(path, "'" + name + "' cannot be read", String.valueOf(e.getMessage()));
            return null;
        }
        schemas.sort(Comparator.comparing(Known::name));
        return schemas;
    }

    private static @Nullable Known known(String base, String name, String path, Path folder, Problems problems) {
        return parsed(name, path, folder, problems, text -> AvroSchemas.known(base, text));
    }

    private static @Nullable SourceSchema schema(String name, String path, Path folder, Problems problems) {
        return parsed(name, path, folder, problems, AvroSchemas::parse);
    }

    private static <T> @Nullable T parsed(
            String name, String path, Path folder, Problems problems, Function<String, T> parser) {
        try {
            String text = text(folder.resolve(name), path, "'" + name + "' ", problems);
            return text == null ? null : parser.apply(text);
        } catch (InvalidPathException e) {
            problems.wrong(
                    path, "'" + name + "' is no path", "expected the path of an Avro schema, relative to the job file");
        } catch (IllegalArgumentException e) {
            problems.wrong(path, "'" + name + "' " + e.getMessage(), "");
        }
        return null;
    }

    private static @Nullable String text(Path file, String path, String name, Problems problems) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            problems.wrong(path, name + "does not exist", "");
        } catch (CharacterCodingException e) {
            problems.wrong(path, name + "is not UTF-8 text", "");
        } catch (IOException e) {
            problems.wrong(path, name + "cannot be read", String.valueOf(e.getMessage()));
        }
        return null;
    }
}
