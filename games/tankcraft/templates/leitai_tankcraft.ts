// TankCraft for bots in TypeScript: `play(team, order)` names five tanks, then asks `order` for each in every round.
//
// Cells are [row, column] from the upper left, both from 1. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

export type Cell = [number, number];
export type TankType = 'Striker' | 'Pioneer' | 'Sniper';
export type Tank = { id: number; type: TankType; cell: Cell; life: number };
/** R, B, or N for nobody. */
export type Mine = { cell: Cell; owner: 'R' | 'B' | 'N' };

const STEPS: Record<string, Cell> = { GOUP: [-1, 0], GODOWN: [1, 0], GOLEFT: [0, -1], GORIGHT: [0, 1] };
const RANGE: Record<TankType, number> = { Striker: 3, Pioneer: 1, Sniper: 5 };

/** A round as your side sees it. */
export class State {
  readonly round: number;
  readonly me: 'R' | 'B';
  /** Rows of '.' open, '#' stone, '1' and '2' bricks. */
  readonly terrain: string[];
  readonly mines: Mine[];
  readonly own: Tank[];
  /** Those that are seen and alive. */
  readonly enemies: Tank[];

  constructor(view: any, setup: any) {
    this.round = view.round;
    this.me = view.you === 'first' ? 'R' : 'B';
    this.terrain = view.terrain;
    const places: Cell[] = setup.map.flatMap((line: string, row: number) =>
      [...line].flatMap((kind, column) => ('rbn'.includes(kind) ? [[row + 1, column + 1]] : [])));
    this.mines = places.map((cell, at) => ({ cell, owner: view.owners[at] }));
    const isOwn = (tank: Tank) => tank.id < 5 === (this.me === 'R');
    this.own = view.tanks.filter(isOwn);
    this.enemies = view.tanks.filter((tank: Tank) => !isOwn(tank) && tank.cell && tank.life > 0);
  }

  /** The order that begins a shortest way to one of these cells, through bricks too, round your other tanks. */
  towards(tank: Tank, goals: Cell[]): string {
    const wanted = new Set(goals.map(String)), queue = [{ cell: tank.cell, first: 'STOP' }];
    const seen = new Set(this.own.filter((own) => own.life > 0).map((own) => String(own.cell)));
    for (const { cell, first } of queue) {
      if (first !== 'STOP' && wanted.has(String(cell))) return first;
      for (const [order, [down, right]] of Object.entries(STEPS)) {
        const near: Cell = [cell[0] + down, cell[1] + right];
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
export function fire([row, column]: Cell): string {
  return `FIRE:${row}:${column}`;
}

/** Whether the one can hit the other. */
export function inRange(tank: Tank, other: Tank): boolean {
  const [down, right] = [0, 1].map((axis) => Math.abs(tank.cell[axis] - other.cell[axis]));
  return down + right <= RANGE[tank.type];
}

/** Plays a leg with five types: `order(state, tank)` gives an order for each tank of yours that is alive. */
export function play(team: TankType[], order: (state: State, tank: Tank) => string): void {
  answerAll((view, _legal, setup) => {
    if (view.round === 0) return ['Team', ...team].join(';');
    const state = new State(view, setup);
    return state.own.map((tank) => (tank.life > 0 ? order(state, tank) : 'STOP')).join(';');
  });
}
