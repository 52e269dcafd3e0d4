// leitai: protocol=json-lines
// A bot to begin with: it plays the first legal action. guide.md says what the view of your game means.
// It reads and answers by leitai_lines.kt.

fun main() {
    // view is what you see, setup what was known before the game, if you may know it.
    Json.answerAll { view, legal, setup -> legal.words()[0] }
}
