package dev.tidemark.cli;

/**
 * Tells a person who ends a command by a signal what that means. The embedded PostgreSQL stops by itself when the process
 * does; a publication that was being made is rolled back.
 */
final class Interruption implements AutoCloseable {
    private final Console console;
    private final String meaning;
    private final Thread hook;
    private volatile boolean come;

    /** @param meaning what it means */
    Interruption(Console console, String meaning) {
        this.console = console;
        this.meaning = meaning;
        this.hook = new Thread(this::tell, "tidemark interruption");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Whether the process is ending; then failures are its consequence, and nothing is to be said of them. */
    boolean hasCome() {
        return come;
    }

    @Override
    public void close() {
        if (!come) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // The process ends at this very moment; then the hook has its say.
            }
        }
    }

    private void tell() {
        come = true;
        console.err().println();
        console.err().println(meaning);
        console.err().flush();
    }
}
