// King of Bots for bots in TypeScript: `play(choose)` asks `choose` for a direction in every round.
//
// Cells are [row, column] from the upper left, both from 0. What you draw with mark, line, text, tag and value is shown
// on the viewer of your matches, to you alone. Standard output belongs to the judge: print with console.error.

export type Cell = [number, number];

/** By direction: '0' up, '1' right, '2' down, '3' left. */
export const STEPS: Record<string, Cell> = { 0: [-1, 0], 1: [0, 1], 2: [1, 0], 3: [0, -1] };

/** A round before both snakes move. */
export class State {
  readonly round: number;
  /** Whether the tails stay in this round. */
  readonly grows: boolean;
  /** From head to tail. */
  readonly me: Cell[];
  readonly other: Cell[];
  /** Walls and snakes, each as `row,column`. */
  readonly taken: Set<string>;

  /** `legal`: directions to choose from. */
  constructor(view: any, readonly legal: string[]) {
    this.round = view.round;
    this.grows = view.grows;
    this.me = view.snakes.find((snake: any) => snake.seat === view.you).cells;
    this.other = view.snakes.find((snake: any) => snake.seat !== view.you).cells;
    this.taken = new Set([...this.me, ...this.other].map(String));
    view.map.forEach((line: string, row: number) =>
      [...line].forEach((kind, column) => kind === '1' && this.taken.add(`${row},${column}`)));
  }

  /** The cell of your head after a move. */
  after(direction: string): Cell {
    return step(this.me[0], direction);
  }

  /** How many free cells can be reached from this one, itself included; 0 if it is taken. */
  reach(cell: Cell): number {
    const seen = new Set(this.taken), found: Cell[] = [];
    const visit = (next: Cell) => {
      if (seen.has(String(next))) return;
      seen.add(String(next));
      found.push(next);
    };
    visit(cell);
    for (const at of found) for (const direction in STEPS) visit(step(at, direction));
    return found.length;
  }
}

/** The neighbour of a cell. */
export function step([row, column]: Cell, direction: string): Cell {
  return [row + STEPS[direction][0], column + STEPS[direction][1]];
}

/** Plays a game: `choose(state)` gives a direction. */
export function play(choose: (state: State) => string): void {
  answerAll((view, legal) => choose(new State(view, legal)));
}
