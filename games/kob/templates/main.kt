// leitai: protocol=json-lines
// A King of Bots bot to begin with: it goes where the most free cells can be reached.
// Its SDK, by name: leitai_kob.kt

fun choose(state: State): String {
    val room = state.legal.associateWith { state.reach(state.after(it)) }
    val best = state.legal.sortedByDescending { room[it] }.first()
    LeitaiViewer.value("room", room.getValue(best).toDouble()) // plotted on the viewer of your matches
    return best
}

fun main() = play(::choose)
