package dev.tidemark.cli;

import com.google.errorprone.annotations.FormatMethod;

/** A command cannot go on; the message is for the user and says what, where and the way out. */
final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    private CommandException(int status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    private CommandException(int status, String message) {
        super(message);
        this.status = status;
    }

    @FormatMethod
    static CommandException wrongUse(String format, Object... values) {
        return new CommandException(ExitStatus.WRONG_USE, String.format(format, values));
    }

    @FormatMethod
    static CommandException failed(String format, Object... values) {
        return new CommandException(ExitStatus.FAILED, String.format(format, values));
    }

    static CommandException failed(String message, Throwable cause) {
        return new CommandException(ExitStatus.FAILED, message, cause);
    }

    int status() {
        return status;
    }
}
