package dev.tidemark.lateness;

/**
 * A reason not to trust a lookback, or not to rely on one at all.
 *
 * @param name for programs
 * @param message for people
 */
public record Doubt(String name, String message) {}
