// SnakeGo for bots in TypeScript: `play(choose)` asks `choose` for an action whenever one of your snakes has to act.
//
// Cells are [x, y] from the lower left, both from 0. What you draw with mark, line, text, tag and value is shown on the
// viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

export type Cell = [number, number];
/** `bank`: cells it will still grow; `cells`: from head to tail. */
export type Snake = { id: number; mine: boolean; bank: number; ray: boolean; cells: Cell[] };
/** `type`: 0 grows by `param` cells, 2 brings a ray; `expires`: the last round in which it lies there. */
export type Item = { cell: Cell; type: number; param: number; expires: number };

/** By action: '1' +x, '2' +y, '3' -x, '4' -y; '5', a ray, and '6', a split, are no steps. */
export const STEPS: Record<string, Cell> = { 1: [1, 0], 2: [0, 1], 3: [-1, 0], 4: [0, -1] };

/** A moment in which one of your snakes acts. */
export class State {
  /** The board's length and width. */
  readonly size: [number, number];
  readonly round: number;
  readonly rounds: number;
  readonly snakes: Snake[];
  /** The one that acts. */
  readonly snake: Snake;
  readonly items: Item[];
  readonly myWalls: Cell[];
  readonly otherWalls: Cell[];
  /** Walls and snakes, each as `x,y`. */
  readonly taken: Set<string>;

  /** `legal`: actions to choose from. */
  constructor(view: any, readonly legal: string[], setup: any) {
    this.size = [setup.length ?? 16, setup.width ?? 16];
    this.round = view.round;
    this.rounds = view.rounds;
    this.snakes = view.snakes.map(({ seat, ...snake }: any) => ({ ...snake, mine: seat === view.you }));
    this.snake = this.snakes.find((snake) => snake.id === view.snake)!;
    this.items = view.items.map(({ x, y, type, param, expires }: any) => ({ cell: [x, y], type, param, expires }));
    const mine = view.you === 'first' ? 0 : 1;
    this.myWalls = view.walls[mine];
    this.otherWalls = view.walls[1 - mine];
    const bodies = this.snakes.flatMap((snake) => snake.cells);
    this.taken = new Set([...this.myWalls, ...this.otherWalls, ...bodies].map(String));
  }

  /** The cell of the head after an action; a ray and a split leave it where it is. */
  after(action: string): Cell {
    return step(this.snake.cells[0], action);
  }

  /** Whether it is on the board, and neither wall nor snake. */
  isFree([x, y]: Cell): boolean {
    return x >= 0 && x < this.size[0] && y >= 0 && y < this.size[1] && !this.taken.has(`${x},${y}`);
  }
}

/** The neighbour of a cell. */
export function step([x, y]: Cell, action: string): Cell {
  const [right, up] = STEPS[action] ?? [0, 0];
  return [x + right, y + up];
}

/** The steps between two cells on an empty board. */
export function distance(one: Cell, other: Cell): number {
  return Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]);
}

/** Plays a leg: `choose(state)` gives an action. */
export function play(choose: (state: State) => string): void {
  answerAll((view, legal, setup) => choose(new State(view, legal, setup)));
}
