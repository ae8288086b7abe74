package dev.tidemark.job;

import java.util.regex.Pattern;

/** Takes secrets out of what is shown or stored. */
final class Redaction {
    private static final String HIDDEN = "***";
    private static final Pattern USER_INFO = Pattern.compile("(://[^/@:?#]*):[^/?#]*@");
    private static final Pattern PARAMETER =
            Pattern.compile("(?i)([?&;][^=&;]*(?:password|passwd|pwd|secret|token|key|sig|credential)[^=&;]*)=[^&;#]*");

    private static final Pattern SECRET_PROPERTY = Pattern.compile(
            "(?i).*(password|passwd|pwd|secret|token|jaas|credential|private|signature|user\\.?info|\\.key\\b|key$).*");

    private Redaction() {}

    /** The value of a client's property, hidden if the name says that it is a secret. */
    static String property(String name, String value) {
        return SECRET_PROPERTY.matcher(name).matches() ? HIDDEN : of(value);
    }

    /** The URL or path with the passwords and keys in it replaced by asterisks. */
    static String of(String url) {
        String withoutPassword = USER_INFO.matcher(url).replaceAll("$1:" + HIDDEN + "@");
        return PARAMETER.matcher(withoutPassword).replaceAll("$1=" + HIDDEN);
    }
}
