// King of Bots for bots in JavaScript: `play(choose)` asks `choose` for a direction in every round.
//
// Cells are [row, column] from the upper left, both from 0. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

/** @typedef {[number, number]} Cell */

/** By direction: '0' up, '1' right, '2' down, '3' left. */
const STEPS = { 0: [-1, 0], 1: [0, 1], 2: [1, 0], 3: [0, -1] };

/** A round before both snakes move. */
class State {
  constructor(view, legal) {
    /** @type {number} */
    this.round = view.round;
    /** Whether the tails stay in this round. @type {boolean} */
    this.grows = view.grows;
    /** Directions to choose from. @type {string[]} */
    this.legal = legal;
    /** Cells from head to tail. @type {Cell[]} */
    this.me = view.snakes.find((snake) => snake.seat === view.you).cells;
    /** @type {Cell[]} */
    this.other = view.snakes.find((snake) => snake.seat !== view.you).cells;
    /** Walls and snakes, each as `row,column`. */
    this.taken = new Set([...this.me, ...this.other].map(String));
    view.map.forEach((line, row) =>
      [...line].forEach((kind, column) => kind === '1' && this.taken.add(`${row},${column}`)));
  }

  /** The cell of your head after a move. */
  after(direction) {
    return step(this.me[0], direction);
  }

  /** How many free cells can be reached from this one, itself included; 0 if it is taken. */
  reach(cell) {
    const seen = new Set(this.taken), found = [];
    const visit = (next) => {
      if (seen.has(String(next))) return;
      seen.add(String(next));
      found.push(next);
    };
    visit(cell);
    for (const at of found) for (const direction in STEPS) visit(step(at, direction));
    return found.length;
  }
}

/** The neighbour of a cell. @returns {Cell} */
function step([row, column], direction) {
  return [row + STEPS[direction][0], column + STEPS[direction][1]];
}

/** Plays a game: `choose(state)` gives a direction. @param {(state: State) => string} choose */
function play(choose) {
  answerAll((view, legal) => choose(new State(view, legal)));
}

exports.STEPS = STEPS;
exports.step = step;
exports.play = play;
