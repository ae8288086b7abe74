package dev.tidemark.cli;

import dev.tidemark.change.Rejection;
import dev.tidemark.database.DatabaseException;
import dev.tidemark.evidence.EvidenceException;
import dev.tidemark.gate.RestoreException;
import dev.tidemark.generate.WebAnalytics;
import dev.tidemark.job.JobFileException;
import dev.tidemark.ledger.LateReason;
import dev.tidemark.publish.WarehouseException;
import dev.tidemark.recovery.RecoveryException;
import dev.tidemark.source.SourceException;
import java.io.PrintWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.StateMigrationException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** All commands. Output goes to the writers handed in; {@link #run} gives the exit status. */
@Command(
        name = "tidemark",
        description = "Keeps warehouse tables right when facts arrive late, are corrected, repeated or withdrawn.",
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        version = "tidemark 0.1.0",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Exit status: 0 done; 1 a check found a difference; 2 wrong use or job file; 3 could not be done."
        })
public final class CommandLineInterface {
    /** How Flink begins to say that a path holds no state. */
    private static final String NO_STATE = "Cannot find checkpoint or savepoint";

    private final Console console;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show the trace of an error.")
    private boolean debug;

    public CommandLineInterface(PrintWriter out, PrintWriter err, Map<String, String> environment) {
        this(out, err, environment, Clock.systemUTC());
    }

    public CommandLineInterface(PrintWriter out, PrintWriter err, Map<String, String> environment, Clock clock) {
        this.console = new Console(out, err, environment, clock);
    }

    /** Runs one command. Never throws. */
    public int run(String... arguments) {
        CommandLine commands = new CommandLine(this)
                .addSubcommand(new ValidateCommand(console))
                .addSubcommand(new InitCommand(console))
                .addSubcommand(new RunCommand(console))
                .addSubcommand(new RebuildCommand(console))
                .addSubcommand(new WidenCommand(console))
                .addSubcommand(new StatusCommand(console))
                .addSubcommand(new LedgerCommand(console))
                .addSubcommand(new RejectedCommand(console))
                .addSubcommand(new LatenessCommand(console))
                .addSubcommand(new MissingCommand(console))
                .addSubcommand(new ReconcileCommand(console))
                .addSubcommand(new VerifyCommand(console))
                .addSubcommand(new TargetCommand(console))
                .addSubcommand(new RetireCommand(console))
                .addSubcommand(new PruneCommand(console))
                .addSubcommand(new GenerateCommand(console))
                .registerConverter(Duration.class, Converters::duration)
                .registerConverter(LateReason.class, Converters::lateReason)
                .registerConverter(Rejection.class, Converters::rejection)
                .registerConverter(Format.class, text -> Converters.constant(text, Format.class))
                .registerConverter(
                        WebAnalytics.Shape.class, text -> Converters.constant(text, WebAnalytics.Shape.class))
                .registerConverter(
                        GenerateCommand.Story.class, text -> Converters.constant(text, GenerateCommand.Story.class))
                .registerConverter(
                        GenerateCommand.Encoding.class,
                        text -> Converters.constant(text, GenerateCommand.Encoding.class))
                .registerConverter(
                        LedgerCommand.Action.class, text -> Converters.constant(text, LedgerCommand.Action.class))
                .registerConverter(
                        LedgerCommand.Status.class, text -> Converters.constant(text, LedgerCommand.Status.class))
                .registerConverter(
                        LatenessCommand.By.class, text -> Converters.constant(text, LatenessCommand.By.class))
                .registerConverter(
                        LatenessCommand.MarginPart.class,
                        text -> Converters.constant(text, LatenessCommand.MarginPart.class))
                .registerConverter(
                        MissingCommand.Time.class, text -> Converters.constant(text, MissingCommand.Time.class))
                .registerConverter(
                        RejectedCommand.Action.class, text -> Converters.constant(text, RejectedCommand.Action.class))
                .setExpandAtFiles(false)
                .setOut(console.out())
                .setErr(console.err())
                .setUsageHelpWidth(110)
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
        CommandLine command = failure.getCommandLine();
        console.err().println("tidemark: " + explain(failure, command));
        console.err().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return ExitStatus.WRONG_USE;
    }

    private static String explain(ParameterException failure, CommandLine command) {
        List<String> unmatched = command.getUnmatchedArguments();
        if (failure instanceof UnmatchedArgumentException || !unmatched.isEmpty()) {
            String first = unmatched.isEmpty() ? "" : unmatched.get(0);
            List<String> known = first.startsWith("-")
                    ? List.copyOf(command.getCommandSpec().optionsMap().keySet())
                    : List.copyOf(command.getSubcommands().keySet());
            String what = first.startsWith("-") ? "option" : command.getParent() == null ? "command" : "argument";
            return "unknown " + what + " '" + first + "'"
                    + (known.isEmpty() ? "" : "; " + what + "s: " + String.join(", ", known));
        }
        return String.valueOf(failure.getMessage());
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
        Optional<Throwable> meant = meant(failure);
        if (meant.isEmpty() && isUnfitState(failure)) {
            console.err()
                    .println("tidemark: the state cannot be restored by this program: "
                            + innermost(failure).getMessage()
                            + "; restore it with the version of Tidemark that wrote it, or start without state");
            return ExitStatus.FAILED;
        }
        Optional<Throwable> absent = ExceptionUtils.findThrowableWithMessage(failure, NO_STATE);
        if (meant.isEmpty() && absent.isPresent()) {
            console.err()
                    .println("tidemark: no state can be restored: "
                            + absent.get().getMessage()
                            + " Name the folder of a savepoint or of a retained checkpoint (chk-...) that the JobManager can"
                            + " read");
            return ExitStatus.FAILED;
        }
        Throwable told = meant.orElseGet(() -> innermost(failure));
        String message = told.getMessage();
        console.err().println("tidemark: " + (message == null ? told.getClass().getSimpleName() : message));
        if (meant.isEmpty() && !debug) {
            console.err().println("(--debug shows the trace)");
        }
        return ExitStatus.FAILED;
    }

    /** A failure as people are told of it. */
    static String words(Throwable failure) {
        Throwable told = meant(failure).orElseGet(() -> innermost(failure));
        return String.valueOf(told.getMessage());
    }

    /** The failure whose message was written for people. */
    private static Optional<Throwable> meant(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, RestoreException.class)
                .<Throwable>map(it -> it)
                .or(() -> ExceptionUtils.findThrowable(failure, RecoveryException.class))
                .or(() -> ExceptionUtils.findThrowable(failure, WarehouseException.class))
                .or(() -> ExceptionUtils.findThrowable(failure, DatabaseException.class))
                .or(() -> ExceptionUtils.findThrowable(failure, SourceException.class))
                .or(() -> ExceptionUtils.findThrowable(failure, EvidenceException.class));
    }

    /** What Flink says when it can read a state but not use it. */
    private static boolean isUnfitState(Throwable failure) {
        return ExceptionUtils.findThrowable(failure, StateMigrationException.class)
                        .isPresent()
                || ExceptionUtils.findThrowableWithMessage(failure, "Failed to rollback to checkpoint/savepoint")
                        .isPresent();
    }

    private static Throwable innermost(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null && cause.getCause() != cause) {
            cause = cause.getCause();
        }
        return cause;
    }
}
