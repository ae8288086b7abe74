package dev.tidemark.job;

import java.util.List;
import java.util.stream.Collectors;

/** A job file that cannot be used, with everything that is wrong with it; the message has one line a problem. */
public final class JobFileException extends RuntimeException {
    private final List<Problem> problems;

    /** Of at least one problem. */
    public JobFileException(List<Problem> problems) {
        super(problems.stream().map(Problem::text).collect(Collectors.joining("\n")));
        if (problems.isEmpty()) {
            throw new IllegalArgumentException("a job file without problems was refused");
        }
        this.problems = List.copyOf(problems);
    }

    /** What is wrong, in the order of the file. */
    public List<Problem> problems() {
        return problems;
    }
}
