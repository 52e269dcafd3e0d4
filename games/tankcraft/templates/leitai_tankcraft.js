// TankCraft for bots in JavaScript: `play(team, order)` names five tanks, then asks `order` for each of them in every round.
//
// Cells are [row, column] from the upper left, both from 1. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

/** @typedef {[number, number]} Cell */
/** @typedef {{ id: number, type: 'Striker' | 'Pioneer' | 'Sniper', cell: Cell, life: number }} Tank */
/** @typedef {{ cell: Cell, owner: 'R' | 'B' | 'N' }} Mine */

const STEPS = { GOUP: [-1, 0], GODOWN: [1, 0], GOLEFT: [0, -1], GORIGHT: [0, 1] };
const RANGE = { Striker: 3, Pioneer: 1, Sniper: 5 };

/** A round as your side sees it. */
class State {
  constructor(view, setup) {
    /** @type {number} */
    this.round = view.round;
    /** @type {'R' | 'B'} */
    this.me = view.you === 'first' ? 'R' : 'B';
    /** Rows of '.' open, '#' stone, '1' and '2' bricks. @type {string[]} */
    this.terrain = view.terrain;
    const places = setup.map.flatMap((line, row) =>
      [...line].flatMap((kind, column) => ('rbn'.includes(kind) ? [[row + 1, column + 1]] : [])));
    /** Their owner is R, B, or N for nobody. @type {Mine[]} */
    this.mines = places.map((cell, at) => ({ cell, owner: view.owners[at] }));
    const isOwn = (tank) => tank.id < 5 === (this.me === 'R');
    /** @type {Tank[]} */
    this.own = view.tanks.filter(isOwn);
    /** Those that are seen and alive. @type {Tank[]} */
    this.enemies = view.tanks.filter((tank) => !isOwn(tank) && tank.cell && tank.life > 0);
  }

  /** The order that begins a shortest way to one of these cells, through bricks too, round your other tanks. */
  towards(tank, goals) {
    const wanted = new Set(goals.map(String)), queue = [{ cell: tank.cell, first: 'STOP' }];
    const seen = new Set(this.own.filter((own) => own.life > 0).map((own) => String(own.cell)));
    for (const { cell, first } of queue) {
      if (first !== 'STOP' && wanted.has(String(cell))) return first;
      for (const [order, [down, right]] of Object.entries(STEPS)) {
        const near = [cell[0] + down, cell[1] + right];
        const kind = this.terrain[near[0] - 1]?.[near[1] - 1] ?? '#';
        if (kind === '#' || seen.has(String(near))) continue;
        seen.add(String(near));
        queue.push({ cell: near, first: first !== 'STOP' ? first : kind === '.' ? order : fire(near) });
      }
    }
    return 'STOP';
  }
}

/** The order to shoot at a cell. */
function fire([row, column]) {
  return `FIRE:${row}:${column}`;
}

/** Whether the one can hit the other. */
function inRange(tank, other) {
  const [down, right] = [0, 1].map((axis) => Math.abs(tank.cell[axis] - other.cell[axis]));
  return down + right <= RANGE[tank.type];
}

/**
 * Plays a leg with five types: `order(state, tank)` gives an order for each tank of yours that is alive.
 * @param {string[]} team @param {(state: State, tank: Tank) => string} order
 */
function play(team, order) {
  answerAll((view, legal, setup) => {
    if (view.round === 0) return ['Team', ...team].join(';');
    const state = new State(view, setup);
    return state.own.map((tank) => (tank.life > 0 ? order(state, tank) : 'STOP')).join(';');
  });
}

exports.fire = fire;
exports.inRange = inRange;
exports.play = play;
