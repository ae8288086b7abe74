/**
 * Tidemark: a stream of changes kept as tables that are right, late facts included.
 *
 * <p>Holds the entry point alone. The rooms follow the path of a change: {@code source}, {@code change}, {@code gate},
 * {@code membership}, {@code partition}, {@code publish}, with {@code ledger} and {@code lateness} for what came too late.
 * Grounds that several rooms stand on are {@code job}, {@code calendar}, {@code wire} and {@code database}; {@code
 * pipeline} and {@code cli} put it all together. A room's own files are pure; its doors to the outside are the packages in
 * it that are named after what they touch.
 */
@NullMarked
package dev.tidemark;

import org.jspecify.annotations.NullMarked;
