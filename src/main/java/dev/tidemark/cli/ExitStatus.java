package dev.tidemark.cli;

/** What a command's exit status means. */
public final class ExitStatus {
    public static final int DONE = 0;
    /** A check found a difference or a warning. */
    public static final int DIFFERENCE = 1;
    /** Wrong use, or a wrong job file. */
    public static final int WRONG_USE = 2;
    /** It could not be done. */
    public static final int FAILED = 3;

    private ExitStatus() {}
}
