package dev.tidemark.benchmark;

import dev.tidemark.cli.CommandLineInterface;
import dev.tidemark.job.ColumnKind;
import dev.tidemark.job.JobPlan;
import dev.tidemark.job.JobPlan.ValueColumn;
import dev.tidemark.job.yaml.JobFiles;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** One run over all days against a run for each day, by the program as it is: column by column. */
@Command(
        name = "scripts/verify-incremental-equivalence",
        mixinStandardHelpOptions = true,
        description =
                "Reads generated web events once as a whole and once a day at a time, and compares the two targets: local"
                        + " columns must be equal in every partition. Exit status 1: they are not.")
final class Equivalence implements Callable<Integer> {
    private static final String WHOLE = "whole";
    private static final String DAILY = "daily";

    @Option(names = "--days", paramLabel = "N", description = "How many days; default: ${DEFAULT-VALUE}.")
    private int days = 7;

    @Option(
            names = "--scale-factor",
            paramLabel = "S",
            description = "1: 100,000 events a day; default: ${DEFAULT-VALUE}.")
    private double scale = 0.01;

    @Option(names = "--shape", paramLabel = "uniform|dense", description = "Default: ${DEFAULT-VALUE}.")
    private String shape = "uniform";

    @Option(names = "--seed", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
    private long seed = 20260319;

    @Option(names = "--late-arrivals", description = "10 % of the events come an hour late, 5 % a day, 5 % three days.")
    private boolean late;

    @Option(names = "--root", hidden = true, required = true)
    private Path root = Path.of("");

    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    /** Ends with 0 if all is as it should be, with 1 if it is not. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Equivalence())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println(failure.getMessage());
                    return 3;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path scratch = root.resolve(".local").resolve("equivalence");
        remove(scratch);
        Files.createDirectories(scratch);
        Path events = scratch.resolve("events");
        List<String> generate = new ArrayList<>(List.of(
                "generate",
                "web-analytics",
                "--out",
                events.toString(),
                "--days",
                Integer.toString(days),
                "--scale",
                Double.toString(scale),
                "--shape",
                shape,
                "--seed",
                Long.toString(seed)));
        if (late) {
            generate.add("--late-arrivals");
        }
        program(Map.of(), generate);
        List<Path> files = files(events);
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setDataDirectory(scratch.resolve("postgres").toAbsolutePath())
                        .setLocaleConfig("locale", "C")
                        .start();
                Connection warehouse = DriverManager.getConnection(
                        "jdbc:postgresql://localhost:" + postgres.getPort() + "/postgres?user=postgres")) {
            Map<String, String> environment =
                    Map.of("TIDEMARK_WAREHOUSE", "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres");
            long started = System.nanoTime();
            runJob(WHOLE, scratch, environment, files);
            out.printf("%s in one run: %.1f s%n", days + " days", (System.nanoTime() - started) / 1e9);
            started = System.nanoTime();
            for (int day = 0; day < days; day++) {
                int end = day == days - 1 ? files.size() : day + 1;
                runJob(DAILY, scratch, environment, files.subList(day, end));
            }
            out.printf("%d runs, one a day: %.1f s%n", days, (System.nanoTime() - started) / 1e9);
            boolean isEquivalent = compare(warehouse, scratch);
            remove(scratch);
            return isEquivalent ? 0 : 1;
        }
    }

    /** Compares what stands, day by day. */
    private boolean compare(Connection warehouse, Path scratch) throws SQLException {
        JobPlan plan = JobFiles.read(scratch.resolve(WHOLE + ".yaml"), Map.of());
        boolean isEquivalent = true;
        out.printf("%n%-40s %-7s %6s %10s  %s%n", "column", "kind", "equal", "different", "verdict");
        for (ValueColumn column : plan.target().columns()) {
            List<String> different = new ArrayList<>();
            long partitions = 0;
            String last = "";
            try (Statement statement = warehouse.createStatement();
                    ResultSet row = statement.executeQuery("select day, w." + column.name() + " is distinct from d."
                            + column.name() + " from gold." + WHOLE + " w full join gold." + DAILY
                            + " d using (day) order by day")) {
                while (row.next()) {
                    partitions++;
                    last = row.getString(1);
                    if (row.getBoolean(2)) {
                        different.add(last);
                    }
                }
            }
            String fault = "";
            if (column.kind() == ColumnKind.LOCAL && !different.isEmpty()) {
                fault = "FAULT: differs on " + String.join(", ", different);
            } else if (different.contains(last)) {
                fault = "FAULT: differs on the last day";
            } else if (column.kind() == ColumnKind.GLOBAL && different.isEmpty() && partitions > 1) {
                fault = "FAULT: differs nowhere, so that nothing is shown; take more days or another seed";
            }
            isEquivalent &= fault.isEmpty();
            String good = column.kind() == ColumnKind.LOCAL ? "equal" : "as of its day";
            out.printf(
                    "%-40s %-7s %6d %10d  %s%n",
                    column.name(),
                    column.kind().word(),
                    partitions - different.size(),
                    different.size(),
                    fault.isEmpty() ? good : fault);
        }
        return isEquivalent;
    }

    /** Brings files in, and reads all that are there so far. */
    private void runJob(String name, Path scratch, Map<String, String> environment, List<Path> files)
            throws IOException {
        Path source = Files.createDirectories(scratch.resolve(name + "-events"));
        for (Path file : files) {
            Files.copy(file, source.resolve(String.valueOf(file.getFileName())));
        }
        Path job = scratch.resolve(name + ".yaml");
        Files.writeString(
                job,
                Files.readString(root.resolve("jobs/daily-active-users.yaml"))
                        .replace("job: daily-active-users", "job: " + name)
                        .replace("gold.daily_active_users", "gold." + name)
                        .replace(
                                "../schemas",
                                root.resolve("schemas").toAbsolutePath().toString()));
        Map<String, String> with = new HashMap<>(environment);
        with.put("WEB_EVENTS", source.toString());
        with.put("TIDEMARK_LOCAL", scratch.resolve("local").toString());
        program(with, List.of("run", "--job", job.toString()));
    }

    private static void program(Map<String, String> environment, List<String> arguments) {
        StringWriter said = new StringWriter();
        int status = new CommandLineInterface(
                        new PrintWriter(said, true), new PrintWriter(said, true), environment, Clock.systemUTC())
                .run(arguments.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException(String.join(" ", arguments) + " ended with " + status + ":\n" + said);
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(file -> !file.getFileName().toString().startsWith("_"))
                    .sorted()
                    .toList();
        }
    }

    private static void remove(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
