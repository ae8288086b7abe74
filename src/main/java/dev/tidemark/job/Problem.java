package dev.tidemark.job;

import java.io.Serializable;

/**
 * One thing that is wrong with a job file.
 *
 * @param file the job file, as the user named it
 * @param line from 1; 0: the file as a whole
 * @param path the key path, for instance {@code target.columns.net.sum}; empty: the file as a whole
 * @param wrong what is wrong
 * @param allowed what is allowed instead, or the way out; may be empty
 */
public record Problem(String file, int line, String path, String wrong, String allowed) implements Serializable {

    /** The problem as one line. */
    public String text() {
        StringBuilder text = new StringBuilder(file);
        if (line > 0) {
            text.append(':').append(line);
        }
        text.append(": ");
        if (!path.isEmpty()) {
            text.append(path).append(": ");
        }
        text.append(wrong);
        if (!allowed.isEmpty()) {
            text.append("; ").append(allowed);
        }
        return text.toString().replace('\n', ' ').replace('\r', ' ');
    }
}
