package dev.tidemark.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The program in a process of its own, as a person starts it. */
final class ChildProgram implements AutoCloseable {
    private final Process process;
    private final Path output;

    private ChildProgram(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * Starts it.
     *
     * @param folder for what it writes
     */
    static ChildProgram start(Path folder, String warehouse, String... arguments) throws IOException {
        return start(List.of(), folder, warehouse, arguments);
    }

    /**
     * Starts it by another program.
     *
     * @param starter what stands before the program in the command
     */
    static ChildProgram start(List<String> starter, Path folder, String warehouse, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        for (String opened : List.of("java.util", "java.lang", "java.time")) {
            command.addAll(List.of("--add-opens", "java.base/" + opened + "=ALL-UNNAMED"));
        }
        command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", classPath())));
        command.add("dev.tidemark.Main");
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "output", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .directory(folder.toFile());
        builder.environment().put("TIDEMARK_WAREHOUSE", warehouse);
        builder.environment().put("TIDEMARK_LOCAL", folder.resolve("local").toString());
        return new ChildProgram(builder.start(), output);
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills it, without warning. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    /** Waits for its end and gives its exit status. */
    int status() throws InterruptedException {
        return process.waitFor(120, TimeUnit.SECONDS) ? process.exitValue() : -1;
    }

    String output() throws IOException {
        return Files.readString(output);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
