package dev.tidemark.cli;

/** Text as HTML and SVG have it. */
final class Html {
    private Html() {}

    /** Text that came from anywhere: nothing in it is markup, control characters are shown escaped. */
    static String text(String text) {
        StringBuilder html = new StringBuilder();
        Table.plain(text).codePoints().forEach(point -> {
            switch (point) {
                case '&' -> html.append("&amp;");
                case '<' -> html.append("&lt;");
                case '>' -> html.append("&gt;");
                case '"' -> html.append("&quot;");
                case '\'' -> html.append("&#39;");
                default -> html.appendCodePoint(point);
            }
        });
        return html.toString();
    }
}
