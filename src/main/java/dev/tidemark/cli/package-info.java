/**
 * The commands: one class each, what they print, and the composition root ({@code Wiring}).
 *
 * <p>Takes arguments, environment and clock, gives text on two writers and an exit status. May touch every room, and is
 * the only one that sees the JDBC doors. Promises one clear message for whatever goes wrong, no secret in any output, and
 * that what came from a source cannot steer the terminal.
 */
@NullMarked
package dev.tidemark.cli;

import org.jspecify.annotations.NullMarked;
