package dev.tidemark.job;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects everything that is wrong with one job file, and knows in which line each key was written. */
public final class Problems {
    private final String file;
    private final Map<String, Integer> lines = new HashMap<>();
    private final List<Problem> found = new ArrayList<>();

    /** Problems of a file, by the name that the user gave it. */
    public Problems(String file) {
        this.file = file;
    }

    /** Remembers that the key path was written in the line (from 1). The first line counts. */
    public void written(String path, int line) {
        lines.putIfAbsent(path, line);
    }

    /** The value at the path is wrong. A path that is not written stands for the deepest one above it that is. */
    public void wrong(String path, String wrong, String allowed) {
        String deepest = deepestWritten(path);
        at(lineOf(deepest), deepest, wrong, allowed);
    }

    /** The key at the path ought to be there; said once, and not if something else is wrong there already. */
    public void missing(String path, String allowed) {
        if (!anyAt(path)) {
            at(lineOf(deepestWritten(path)), path, "is missing", allowed);
        }
    }

    /** A problem at a line of its own. */
    public void at(int line, String path, String wrong, String allowed) {
        found.add(new Problem(file, line, path, wrong, allowed));
    }

    /** Whether something is wrong at the path or below it. */
    public boolean anyAt(String path) {
        return found.stream()
                .map(Problem::path)
                .anyMatch(other -> other.equals(path) || (other.startsWith(path) && isSeparator(other, path.length())));
    }

    /** Whether anything is wrong. */
    public boolean any() {
        return !found.isEmpty();
    }

    /** An empty collection for the same file. */
    Problems another() {
        return new Problems(file);
    }

    /** The problems in the order in which they were found. */
    List<Problem> all() {
        return List.copyOf(found);
    }

    /** All problems in one exception, in the order of their lines. */
    public JobFileException exception() {
        return new JobFileException(
                found.stream().sorted(Comparator.comparingInt(Problem::line)).toList());
    }

    private int lineOf(String writtenPath) {
        return lines.getOrDefault(writtenPath, 0);
    }

    private String deepestWritten(String path) {
        String deepest = path;
        while (!deepest.isEmpty() && !lines.containsKey(deepest)) {
            int end = deepest.length() - 1;
            while (end > 0 && !isSeparator(deepest, end)) {
                end--;
            }
            deepest = deepest.substring(0, end);
        }
        return deepest;
    }

    private static boolean isSeparator(String path, int index) {
        return path.charAt(index) == '.' || path.charAt(index) == '[';
    }
}
