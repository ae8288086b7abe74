package dev.tidemark.cli;

import dev.tidemark.database.ConnectionSettings;
import dev.tidemark.job.JobPlan;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** {@code --warehouse URL}, else the environment, else the embedded PostgreSQL. */
final class WarehouseOption {
    static final String VARIABLE = "TIDEMARK_WAREHOUSE";
    /** Names the folder for the data of the embedded parts. */
    static final String LOCAL = "TIDEMARK_LOCAL";

    private static final String DATA = "postgres";

    @Option(
            names = "--warehouse",
            paramLabel = "URL",
            description = {
                "PostgreSQL, for instance postgresql://host:5432/database; or set " + VARIABLE + ".",
                "User and password: in the URL, or in TIDEMARK_WAREHOUSE_USER and _PASSWORD (or _PASSWORD_FILE).",
                "Without it: an embedded PostgreSQL with its data in .local/postgres."
            })
    private String address = "";

    /**
     * Opens a warehouse that has been prepared for a job, for a command that only looks.
     *
     * @throws CommandException if it has not
     */
    Opened openFor(JobPlan plan, Console console) {
        Path data = local(console).resolve(DATA);
        if (named(console).isEmpty() && !Files.exists(data.resolve("PG_VERSION"))) {
            throw CommandException.failed(
                    "there is nothing in %s yet: `tidemark run` the job first, or name the warehouse with --warehouse or %s",
                    data, VARIABLE);
        }
        Opened opened = open(console);
        try {
            Wiring wiring = new Wiring(opened.settings());
            wiring.requireReachable();
            if (!wiring.knows(plan)) {
                throw CommandException.failed(
                        "the warehouse (%s) does not know the job %s: run `tidemark init` or `tidemark run` first",
                        opened.shown(), plan.job());
            }
            return opened;
        } catch (RuntimeException failure) {
            try (opened) {
                throw failure;
            }
        }
    }

    /**
     * Opens a warehouse that somebody runs.
     *
     * @param address empty: that of the environment
     */
    static Opened openNamed(String address, Console console) {
        String named = address.isEmpty() ? console.environment().getOrDefault(VARIABLE, "") : address;
        if (named.isEmpty()) {
            throw CommandException.wrongUse("name the warehouse: --warehouse URL, or set %s", VARIABLE);
        }
        try {
            ConnectionSettings settings = ConnectionSettings.of(named);
            return new Opened(settings, settings.toString(), () -> {});
        } catch (IllegalArgumentException wrong) {
            throw CommandException.wrongUse("--warehouse: %s", String.valueOf(wrong.getMessage()));
        }
    }

    /**
     * Opens a warehouse that has been prepared for a job which runs elsewhere: the embedded PostgreSQL cannot be its.
     *
     * @throws CommandException if none is named, or it has not been prepared
     */
    Opened openServerFor(JobPlan plan, Console console) {
        if (named(console).isEmpty()) {
            throw CommandException.wrongUse(
                    "name the warehouse that the job on the cluster writes to with --warehouse URL or %s", VARIABLE);
        }
        return openFor(plan, console);
    }

    /** Opens the warehouse for one command. */
    Opened open(Console console) {
        String named = named(console);
        if (!named.isEmpty()) {
            return openNamed(named, console);
        }
        if (CommandLineInterface.isUnderFlinkClient()) {
            throw CommandException.wrongUse(
                    "on a cluster the job needs a warehouse: name it with --warehouse URL or %s", VARIABLE);
        }
        Path folder = local(console).resolve(DATA);
        EmbeddedWarehouse embedded = EmbeddedWarehouse.open(folder);
        return new Opened(
                ConnectionSettings.of(embedded.address()),
                "embedded PostgreSQL, data in " + folder + ", " + embedded.address() + " while this command runs",
                embedded::close);
    }

    private String named(Console console) {
        return address.isEmpty() ? console.environment().getOrDefault(VARIABLE, "") : address;
    }

    /** The folder for the data of the embedded parts. */
    static Path local(Console console) {
        return Path.of(console.environment().getOrDefault(LOCAL, ".local"));
    }

    /**
     * A warehouse for the time of a command.
     *
     * @param shown what to tell people; without secrets
     */
    record Opened(ConnectionSettings settings, String shown, Runnable closing) implements AutoCloseable {
        @Override
        public void close() {
            closing.run();
        }
    }
}
