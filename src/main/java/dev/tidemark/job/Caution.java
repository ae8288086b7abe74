package dev.tidemark.job;

/**
 * Something that a job file may say, and that mostly is not meant.
 *
 * @param path the key that it is about
 * @param message what comes of it, and the way out
 */
public record Caution(String path, String message) {
    @Override
    public String toString() {
        return path + ": " + message;
    }
}
