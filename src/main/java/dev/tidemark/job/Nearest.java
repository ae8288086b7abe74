package dev.tidemark.job;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Guesses which of the allowed words somebody meant. */
public final class Nearest {
    private Nearest() {}

    /** {@code did you mean 'net'? } with a space at its end, or empty text when nothing is near. */
    public static String question(String written, Collection<String> allowed) {
        String nearest = of(written, allowed);
        return nearest == null ? "" : "did you mean '" + nearest + "'? ";
    }

    /** The nearest of the allowed words, the first of equals; null when none is near. */
    static @Nullable String of(String written, Collection<String> allowed) {
        String nearest = null;
        int least = 1 + written.length() / 3;
        for (String candidate : allowed) {
            int distance = distance(folded(written), folded(candidate));
            if (distance < least || (distance == least && nearest == null)) {
                least = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    private static String folded(String word) {
        return word.toLowerCase(Locale.ROOT);
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
    private static int distance(String from, String to) {
        int[][] rows = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    rows[i][j] = i + j;
                    continue;
                }
                boolean same = from.charAt(i - 1) == to.charAt(j - 1);
                int best = Math.min(rows[i - 1][j - 1] + (same ? 0 : 1), Math.min(rows[i - 1][j], rows[i][j - 1]) + 1);
                if (i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1)) {
                    best = Math.min(best, rows[i - 2][j - 2] + 1);
                }
                rows[i][j] = best;
            }
        }
        return rows[from.length()][to.length()];
    }
}
