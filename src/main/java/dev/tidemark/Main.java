package dev.tidemark;

import dev.tidemark.cli.CommandLineInterface;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The door: arguments in, exit status out. */
public final class Main {
    private Main() {}

    /** Runs a command. Under {@code flink run} a command that is done returns, so that the client can go on. */
    public static void main(String[] arguments) {
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        int status = new CommandLineInterface(out, err, System.getenv()).run(arguments);
        if (status != 0 || !CommandLineInterface.isUnderFlinkClient()) {
            System.exit(status);
        }
    }
}
