// King of Bots for bots in Kotlin: play(choose) asks for a direction in every round.
//
// Cells are (row, column) from the upper left, both from 0. What you draw with LeitaiViewer is shown on the viewer of
// your matches, to you alone. Standard output belongs to the judge: print to System.err.

typealias Cell = Pair<Int, Int>

/** "0" up, "1" right, "2" down, "3" left. */
val DIRECTIONS = listOf("0", "1", "2", "3")

/** A round before both snakes move. */
class State internal constructor(view: Json, legal: Json) {
    val round = view["round"].number()
    /** Whether the tails stay in this round. */
    val grows = view["grows"].isTrue()
    /** Directions to choose from. */
    val legal: List<String> = legal.words()
    /** Cells from head to tail. */
    val me: List<Cell> = view["snakes"].items.first { it["seat"].word == view["you"].word }["cells"].cells()
    val other: List<Cell> = view["snakes"].items.first { it["seat"].word != view["you"].word }["cells"].cells()
    /** Walls and snakes. */
    val taken = HashSet<Cell>(me + other)

    init {
        for ((row, line) in view["map"].words().withIndex())
            for ((column, kind) in line.withIndex()) if (kind == '1') taken.add(Cell(row, column))
    }

    /** The cell of your head after a move. */
    fun after(direction: String) = step(me[0], direction)

    /** How many free cells can be reached from this one, itself included; 0 if it is taken. */
    fun reach(cell: Cell): Int {
        val seen = HashSet(taken)
        val open = ArrayList<Cell>()
        if (seen.add(cell)) open.add(cell)
        var at = 0
        while (at < open.size) {
            val here = open[at++]
            DIRECTIONS.map { step(here, it) }.filterTo(open) { seen.add(it) }
        }
        return open.size
    }
}

/** The neighbour of a cell. */
fun step(cell: Cell, direction: String) = when (direction) {
    "0" -> Cell(cell.first - 1, cell.second)
    "1" -> Cell(cell.first, cell.second + 1)
    "2" -> Cell(cell.first + 1, cell.second)
    else -> Cell(cell.first, cell.second - 1)
}

/** Plays a game: `choose` gives a direction. */
fun play(choose: (State) -> String) = Json.answerAll { view, legal, _ -> choose(State(view, legal)) }
