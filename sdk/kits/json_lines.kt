
/** Just enough JSON for the messages of the judge: a word (a string or a number), a list or an object. */
class Json {
    var word = ""
    val items = ArrayList<Json>()
    private val members = HashMap<String, Json>()

    operator fun get(key: String): Json = members[key] ?: Json()
    fun number(otherwise: Int = 0) = word.toIntOrNull() ?: otherwise
    fun isTrue() = word == "true"
    /** (-1, -1) where there is none. */
    fun cell() = if (items.size < 2) Pair(-1, -1) else Pair(items[0].number(), items[1].number())
    fun cells() = items.map { it.cell() }
    fun words() = items.map { it.word }

    internal class Reader(private val text: String) {
        private var at = 0

        fun value(): Json {
            val json = Json()
            val first = peek()
            if (first != '{' && first != '[') {
                json.word = word()
                return json
            }
            at++
            while (peek() != '\u0000' && text[at] != '}' && text[at] != ']') {
                if (first == '[') json.items.add(value())
                else json.members[word()] = value()
            }
            at++
            return json
        }

        private fun peek(): Char {
            while (at < text.length && (text[at].isWhitespace() || text[at] == ',' || text[at] == ':')) at++
            return if (at < text.length) text[at] else '\u0000'
        }

        private fun word(): String {
            val word = StringBuilder()
            if (peek() != '"') {
                while (at < text.length && text[at] !in ",:]} ") word.append(text[at++])
                return word.toString()
            }
            at++
            while (at < text.length && text[at] != '"') {
                if (text[at] == '\\' && at + 1 < text.length) at++
                word.append(text[at++])
            }
            at++
            return word.toString()
        }
    }

    companion object {
        /** Answers every question of the judge with what `decide(view, legal, setup)` gives. */
        fun answerAll(decide: (Json, Json, Json) -> String) {
            var setup = Json()
            val input = System.`in`.bufferedReader()
            while (true) {
                val message = Reader(input.readLine() ?: return).value()
                if (message["type"].word == "start") setup = message["setup"]
                if (message["type"].word != "turn") continue
                println("{\"action\":\"${decide(message["view"], message["legal"], setup)}\"}")
            }
        }
    }
}

// Below: drawings and values for the viewer. The file sdk/viewer/leitai_viewer.kt of Leitai is the same by itself.
