// SnakeGo for bots in Kotlin: play(choose) asks for an action whenever one of your snakes has to act.
//
// Cells are (x, y) from the lower left, both from 0. What you draw with LeitaiViewer is shown on the viewer of your
// matches, to you alone. Standard output belongs to the judge: print to System.err.

typealias Cell = Pair<Int, Int>

/** "1" +x, "2" +y, "3" -x, "4" -y; "5", a ray, and "6", a split, are no steps. */
val MOVES = listOf("1", "2", "3", "4")

/** `bank`: cells it will still grow; `cells`: from head to tail. */
class Snake(val id: Int, val mine: Boolean, val bank: Int, val ray: Boolean, val cells: List<Cell>)

/** `type`: 0 grows by `param` cells, 2 brings a ray; `expires`: the last round in which it lies there. */
class Item(val cell: Cell, val type: Int, val param: Int, val expires: Int)

/** A moment in which one of your snakes acts. */
class State internal constructor(view: Json, legal: Json, setup: Json) {
    val length = setup["length"].number(16)
    val width = setup["width"].number(16)
    val round = view["round"].number()
    val rounds = view["rounds"].number()
    /** Actions to choose from. */
    val legal: List<String> = legal.words()
    val snakes = view["snakes"].items.map {
        val mine = it["seat"].word == view["you"].word
        Snake(it["id"].number(), mine, it["bank"].number(), it["ray"].isTrue(), it["cells"].cells())
    }
    /** The one that acts. */
    val snake = snakes.first { it.id == view["snake"].number() }
    val items = view["items"].items.map {
        val cell = Cell(it["x"].number(), it["y"].number())
        Item(cell, it["type"].number(), it["param"].number(), it["expires"].number())
    }
    private val first = if (view["you"].word == "first") 0 else 1
    val myWalls: List<Cell> = view["walls"].items[first].cells()
    val otherWalls: List<Cell> = view["walls"].items[1 - first].cells()
    /** Walls and snakes. */
    val taken = HashSet<Cell>(myWalls + otherWalls + snakes.flatMap { it.cells })

    /** The cell of the head after an action; a ray and a split leave it where it is. */
    fun after(action: String) = step(snake.cells[0], action)

    /** Whether it is on the board, and neither wall nor snake. */
    fun isFree(cell: Cell) = cell.first in 0 until length && cell.second in 0 until width && cell !in taken
}

/** The neighbour of a cell. */
fun step(cell: Cell, action: String) = when (action) {
    "1" -> Cell(cell.first + 1, cell.second)
    "2" -> Cell(cell.first, cell.second + 1)
    "3" -> Cell(cell.first - 1, cell.second)
    "4" -> Cell(cell.first, cell.second - 1)
    else -> cell
}

/** The steps between two cells on an empty board. */
fun distance(one: Cell, other: Cell) = Math.abs(one.first - other.first) + Math.abs(one.second - other.second)

/** Plays a leg: `choose` gives an action. */
fun play(choose: (State) -> String) = Json.answerAll { view, legal, setup -> choose(State(view, legal, setup)) }
