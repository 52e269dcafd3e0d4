// Draws on the viewer of your matches: copy this file beside your bot, then
//
//     LeitaiViewer.Mark("bad", (3, 4), (3, 5));
//     LeitaiViewer.Value("danger", 0.7);
//
// Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
static class LeitaiViewer {
    /// <summary>Marks cells; the tone is accent, good or bad.</summary>
    public static void Mark(string tone, params (int, int)[] cells) {
        Show("\"mark\":" + List(cells) + ",\"tone\":" + Quote(tone));
    }

    /// <summary>A line through cells, two at least.</summary>
    public static void Line(string tone, params (int, int)[] cells) {
        Show("\"line\":" + List(cells) + ",\"tone\":" + Quote(tone));
    }

    /// <summary>A text of this turn.</summary>
    public static void Text(string words) {
        Show("\"text\":" + Quote(words));
    }

    /// <summary>A number that is plotted over the leg under its name. It must be finite.</summary>
    public static void Value(string name, double number) {
        string digits = number.ToString("R", System.Globalization.CultureInfo.InvariantCulture);
        Show("\"value\":{" + Quote(name) + ":" + digits + "}");
    }

    /// <summary>A word to search for.</summary>
    public static void Tag(string word) {
        Show("\"tag\":" + Quote(word));
    }

    private static void Show(string inside) {
        System.Console.Error.WriteLine("#leitai {" + inside + "}");
    }

    private static string List((int, int)[] cells) {
        var list = System.Array.ConvertAll(cells, cell => "[" + cell.Item1 + "," + cell.Item2 + "]");
        return "[" + string.Join(",", list) + "]";
    }

    private static string Quote(string text) {
        var quoted = new System.Text.StringBuilder("\"");
        foreach (char letter in text) {
            if (letter == '"' || letter == '\\') quoted.Append('\\').Append(letter);
            else if (letter < 0x20) quoted.Append("\\u" + ((int)letter).ToString("x4"));
            else quoted.Append(letter);
        }
        return quoted.Append('"').ToString();
    }
}
