/**
 * Draws on the viewer of your matches: copy this file beside your bot, then
 *
 * <pre>
 * LeitaiViewer.mark("bad", new int[] {3, 4}, new int[] {3, 5});
 * LeitaiViewer.value("danger", 0.7);
 * </pre>
 *
 * Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
 */
final class LeitaiViewer {
    private LeitaiViewer() {}

    /** Marks cells; the tone is accent, good or bad. */
    static void mark(String tone, int[]... cells) {
        show("\"mark\":" + list(cells) + ",\"tone\":" + quote(tone));
    }

    /** A line through cells, two at least. */
    static void line(String tone, int[]... cells) {
        show("\"line\":" + list(cells) + ",\"tone\":" + quote(tone));
    }

    /** A text of this turn. */
    static void text(String words) {
        show("\"text\":" + quote(words));
    }

    /** A number that is plotted over the leg under its name. It must be finite. */
    static void value(String name, double number) {
        show("\"value\":{" + quote(name) + ":" + number + "}");
    }

    /** A word to search for. */
    static void tag(String word) {
        show("\"tag\":" + quote(word));
    }

    private static void show(String inside) {
        System.err.println("#leitai {" + inside + "}");
    }

    private static String list(int[][] cells) {
        StringBuilder list = new StringBuilder("[");
        for (int[] cell : cells) {
            list.append(list.length() > 1 ? "," : "");
            list.append('[').append(cell[0]).append(',').append(cell[1]).append(']');
        }
        return list.append(']').toString();
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char letter : text.toCharArray()) {
            if (letter == '"' || letter == '\\') quoted.append('\\').append(letter);
            else if (letter < 0x20) quoted.append(String.format("\\u%04x", (int) letter));
            else quoted.append(letter);
        }
        return quoted.append('"').toString();
    }
}
