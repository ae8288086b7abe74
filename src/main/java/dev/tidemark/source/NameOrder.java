package dev.tidemark.source;

import java.io.Serializable;
import java.util.Comparator;

/** The order of files in a log: by the UTF-8 bytes of their paths, which is the order of code points. */
public final class NameOrder implements Comparator<String>, Serializable {
    private static final long serialVersionUID = 1L;

    public static final NameOrder INSTANCE = new NameOrder();

    private NameOrder() {}

    @Override
    public int compare(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int i = 0; i < common; i++) {
            char a = left.charAt(i);
            char b = right.charAt(i);
            if (a != b) {
                boolean surrogateA = Character.isSurrogate(a);
                return surrogateA == Character.isSurrogate(b) ? Character.compare(a, b) : surrogateA ? 1 : -1;
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Whether a file or folder of this name is none of the source's. */
    public static boolean isSkipped(String name) {
        return name.startsWith(".") || name.startsWith("_") || name.endsWith(".tmp");
    }
}
