// TankCraft for bots in Kotlin: play(team, order) names five tanks, then asks for an order for each of them in every
// round.
//
// Cells are (row, column) from the upper left, both from 1. What you draw with LeitaiViewer is shown on the viewer of
// your matches, to you alone. Standard output belongs to the judge: print to System.err.

typealias Cell = Pair<Int, Int>

private val STEPS =
    mapOf("GOUP" to Cell(-1, 0), "GODOWN" to Cell(1, 0), "GOLEFT" to Cell(0, -1), "GORIGHT" to Cell(0, 1))
private val RANGE = mapOf("Striker" to 3, "Pioneer" to 1, "Sniper" to 5)
const val STOP = "STOP"

/** `type`: Striker, Pioneer or Sniper. */
class Tank(val id: Int, val type: String, val cell: Cell, val life: Int)

/** `owner`: R, B, or N for nobody. */
class Mine(val cell: Cell, val owner: Char)

/** A round as your side sees it. */
class State internal constructor(view: Json, setup: Json) {
    val round = view["round"].number()
    /** R or B. */
    val me = if (view["you"].word == "first") 'R' else 'B'
    /** Rows of '.' open, '#' stone, '1' and '2' bricks. */
    val terrain: List<String> = view["terrain"].words()
    private val places = setup["map"].words().withIndex().flatMap { (row, line) ->
        line.withIndex().filter { it.value in "rbn" }.map { Cell(row + 1, it.index + 1) }
    }
    val mines = places.zip(view["owners"].word.toList()) { cell, owner -> Mine(cell, owner) }
    private val tanks = view["tanks"].items.map {
        Tank(it["id"].number(), it["type"].word, it["cell"].cell(), it["life"].number())
    }
    val own = tanks.filter { (it.id < 5) == (me == 'R') }
    /** Those that are seen and alive. */
    val enemies = tanks.filter { it !in own && it.life > 0 && it.cell.first > 0 }

    /** The order that begins a shortest way to one of these cells, through bricks too, round your other tanks. */
    fun towards(tank: Tank, goals: List<Cell>): String {
        val wanted = goals.toSet()
        val seen = own.filter { it.life > 0 }.map { it.cell }.toHashSet()
        val open = arrayListOf(Pair(tank.cell, STOP))
        var at = 0
        while (at < open.size) {
            val (cell, first) = open[at++]
            if (first != STOP && cell in wanted) return first
            for ((order, by) in STEPS) {
                val near = Cell(cell.first + by.first, cell.second + by.second)
                val kind = terrainAt(near)
                if (kind == '#' || !seen.add(near)) continue
                open.add(Pair(near, if (first != STOP) first else if (kind == '.') order else fire(near)))
            }
        }
        return STOP
    }

    /** What is on a cell; '#' outside of the board. */
    fun terrainAt(cell: Cell) = terrain.getOrNull(cell.first - 1)?.getOrNull(cell.second - 1) ?: '#'
}

/** The order to shoot at a cell. */
fun fire(cell: Cell) = "FIRE:${cell.first}:${cell.second}"

/** Whether the one can hit the other. */
fun inRange(tank: Tank, other: Tank): Boolean {
    val far = Math.abs(tank.cell.first - other.cell.first) + Math.abs(tank.cell.second - other.cell.second)
    return far <= RANGE.getValue(tank.type)
}

/** Plays a leg with five types: `order` gives an order for each tank of yours that is alive. */
fun play(team: List<String>, order: (State, Tank) -> String) = Json.answerAll { view, _, setup ->
    if (view["round"].number() == 0) "Team;" + team.joinToString(";")
    else State(view, setup).run { own.joinToString(";") { if (it.life > 0) order(this, it) else STOP } }
}
