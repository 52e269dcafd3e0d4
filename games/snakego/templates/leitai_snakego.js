// SnakeGo for bots in JavaScript: `play(choose)` asks `choose` for an action whenever one of your snakes has to act.
//
// Cells are [x, y] from the lower left, both from 0. What you draw with mark, line, text, tag and value is shown on the
// viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

/** @typedef {[number, number]} Cell */
/** `bank`: cells it will still grow; `cells`: from head to tail.
 * @typedef {{ id: number, mine: boolean, bank: number, ray: boolean, cells: Cell[] }} Snake */
/** `type`: 0 grows by `param` cells, 2 brings a ray; `expires`: the last round in which it lies there.
 * @typedef {{ cell: Cell, type: number, param: number, expires: number }} Item */

/** By action: '1' +x, '2' +y, '3' -x, '4' -y; '5', a ray, and '6', a split, are no steps. */
const STEPS = { 1: [1, 0], 2: [0, 1], 3: [-1, 0], 4: [0, -1] };

/** A moment in which one of your snakes acts. */
class State {
  constructor(view, legal, setup) {
    /** The board's length and width. */
    this.size = [setup.length ?? 16, setup.width ?? 16];
    /** @type {number} */
    this.round = view.round;
    /** @type {number} */
    this.rounds = view.rounds;
    /** Actions to choose from. @type {string[]} */
    this.legal = legal;
    /** @type {Snake[]} */
    this.snakes = view.snakes.map(({ seat, ...snake }) => ({ ...snake, mine: seat === view.you }));
    /** The one that acts. */
    this.snake = this.snakes.find((snake) => snake.id === view.snake);
    /** @type {Item[]} */
    this.items = view.items.map(({ x, y, type, param, expires }) => ({ cell: [x, y], type, param, expires }));
    const isFirst = view.you === 'first';
    /** @type {Cell[]} */
    this.myWalls = view.walls[isFirst ? 0 : 1];
    /** @type {Cell[]} */
    this.otherWalls = view.walls[isFirst ? 1 : 0];
    /** Walls and snakes, each as `x,y`. */
    this.taken = new Set([...view.walls.flat(), ...this.snakes.flatMap((snake) => snake.cells)].map(String));
  }

  /** The cell of the head after an action; a ray and a split leave it where it is. */
  after(action) {
    return step(this.snake.cells[0], action);
  }

  /** Whether it is on the board, and neither wall nor snake. */
  isFree([x, y]) {
    return x >= 0 && x < this.size[0] && y >= 0 && y < this.size[1] && !this.taken.has(`${x},${y}`);
  }
}

/** The neighbour of a cell. @returns {Cell} */
function step([x, y], action) {
  const [right, up] = STEPS[action] ?? [0, 0];
  return [x + right, y + up];
}

/** The steps between two cells on an empty board. */
function distance(one, other) {
  return Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]);
}

/** Plays a leg: `choose(state)` gives an action. @param {(state: State) => string} choose */
function play(choose) {
  answerAll((view, legal, setup) => choose(new State(view, legal, setup)));
}

exports.STEPS = STEPS;
exports.step = step;
exports.distance = distance;
exports.play = play;
