// leitai: protocol=json-lines
// A TankCraft bot to begin with: every tank shoots the weakest enemy in range, or goes to a mine that is not ours.
// Its SDK, by name: leitai_tankcraft.kt

fun order(state: State, tank: Tank): String {
    val weakest = state.enemies.filter { inRange(tank, it) }.sortedBy { it.life }.firstOrNull()
    if (weakest == null) return state.towards(tank, state.mines.filter { it.owner != state.me }.map { it.cell })
    LeitaiViewer.mark("bad", weakest.cell) // drawn on the viewer of your matches
    return fire(weakest.cell)
}

fun main() = play(listOf("Striker", "Striker", "Pioneer", "Pioneer", "Sniper"), ::order)
