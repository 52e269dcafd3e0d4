// leitai: protocol=json-lines
// A SnakeGo bot to begin with: every snake goes to the nearest item and keeps out of what kills it.
// Its SDK, by name: leitai_snakego.kt

/** Alive first, then a way out, then the way to the nearest item. */
fun worth(state: State, action: String): Int {
    val cell = state.after(action)
    val exits = MOVES.count { state.isFree(step(cell, it)) }
    val nearest = state.items.map { distance(cell, it.cell) }.sorted().firstOrNull() ?: 99
    return (if (state.isFree(cell)) 10000 else 0) + (if (exits > 0) 5000 else 0) - 10 * nearest + exits
}

fun main() = play { state ->
    val best = state.legal.sortedByDescending { worth(state, it) }.first()
    LeitaiViewer.line("accent", state.snake.cells[0], state.after(best)) // drawn on the viewer of your matches
    best
}
