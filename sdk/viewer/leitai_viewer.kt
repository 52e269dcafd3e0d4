/**
 * Draws on the viewer of your matches: copy this file beside your bot, then
 *
 *     LeitaiViewer.mark("bad", Pair(3, 4), Pair(3, 5))
 *     LeitaiViewer.value("danger", 0.7)
 *
 * Only you see it. Cells are numbered as in the game's rules. docs/remarks.md
 */
object LeitaiViewer {
    /** Marks cells; the tone is accent, good or bad. */
    fun mark(tone: String, vararg cells: Pair<Int, Int>) = show("\"mark\":${list(cells)},\"tone\":${quote(tone)}")

    /** A line through cells, two at least. */
    fun line(tone: String, vararg cells: Pair<Int, Int>) = show("\"line\":${list(cells)},\"tone\":${quote(tone)}")

    /** A text of this turn. */
    fun text(words: String) = show("\"text\":${quote(words)}")

    /** A number that is plotted over the leg under its name. It must be finite. */
    fun value(name: String, number: Double) = show("\"value\":{${quote(name)}:$number}")

    /** A word to search for. */
    fun tag(word: String) = show("\"tag\":${quote(word)}")

    private fun show(inside: String) = System.err.println("#leitai {$inside}")

    private fun list(cells: Array<out Pair<Int, Int>>) =
        cells.joinToString(",", "[", "]") { "[${it.first},${it.second}]" }

    private fun quote(text: String) = text.map { letter ->
        when {
            letter == '"' || letter == '\\' -> "\\$letter"
            letter < ' ' -> String.format("\\u%04x", letter - '\u0000')
            else -> letter.toString()
        }
    }.joinToString("", "\"", "\"")
}
