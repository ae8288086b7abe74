package dev.tidemark.cli;

import dev.tidemark.database.DatabaseException;
import dev.tidemark.job.JobFileException;
import dev.tidemark.publish.WarehouseException;
import java.io.PrintWriter;
import java.util.Map;
import org.apache.flink.util.ExceptionUtils;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;

/** All commands. Output goes to the writers handed in; {@link #run} gives the exit status. */
@Command(
        name = "tidemark",
        description = "Keeps warehouse tables right when facts arrive late, are corrected, repeated or withdrawn.",
        mixinStandardHelpOptions = true,
        version = "tidemark 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Exit status: 0 done; 1 a check found a difference; 2 wrong use or job file; 3 could not be done."
        })
public final class CommandLineInterface {
    private final Console console;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show the trace of an error.")
    private boolean debug;

    public CommandLineInterface(PrintWriter out, PrintWriter err, Map<String, String> environment) {
        this.console = new Console(out, err, environment);
    }

    /** Runs one command. Never throws. */
    public int run(String... arguments) {
        CommandLine commands = new CommandLine(this)
                .addSubcommand(new ValidateCommand(console))
                .addSubcommand(new InitCommand(console))
                .addSubcommand(new RunCommand(console))
                .setOut(console.out())
                .setErr(console.err())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpLongOptionsMaxWidth(32)
                .setParameterExceptionHandler(this::wrongUse)
                .setExecutionExceptionHandler((failure, command, result) -> report(failure));
        if (arguments.length == 0) {
            commands.usage(console.err());
            return ExitStatus.WRONG_USE;
        }
        return commands.execute(arguments);
    }

    /** Whether {@code flink run} has called {@code main}: then the process is not ours to end. */
    public static boolean isUnderFlinkClient() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(
                        frame -> frame.getClassName().equals("org.apache.flink.client.program.PackagedProgram")));
    }

    private int wrongUse(ParameterException failure, String[] arguments) {
        console.err().println("tidemark: " + failure.getMessage());
        CommandLine command = failure.getCommandLine();
        if (!CommandLine.UnmatchedArgumentException.printSuggestions(failure, console.err())) {
            console.err().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        return ExitStatus.WRONG_USE;
    }

    private int report(Throwable failure) {
        if (debug) {
            failure.printStackTrace(console.err());
        }
        if (failure instanceof JobFileException problems) {
            console.err().println(problems.getMessage());
            return ExitStatus.WRONG_USE;
        }
        if (failure instanceof CommandException command) {
            console.err().println("tidemark: " + command.getMessage());
            return command.status();
        }
        console.err().println("tidemark: " + explain(failure));
        if (!debug) {
            console.err().println("(--debug shows the trace)");
        }
        return ExitStatus.FAILED;
    }

    /** The innermost message that was written for people, else the innermost of all. */
    private static String explain(Throwable failure) {
        Throwable told = ExceptionUtils.findThrowable(failure, WarehouseException.class)
                .<Throwable>map(it -> it)
                .or(() -> ExceptionUtils.findThrowable(failure, DatabaseException.class))
                .orElseGet(() -> innermost(failure));
        String message = told.getMessage();
        return message == null ? told.getClass().getSimpleName() : message;
    }

    private static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }
}
