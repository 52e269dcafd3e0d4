// A standing order: the way of a tank to a far cell, found anew every round. It uses what the view
// shows: stone is in the way, bricks and enemies are shot at, friends are expected to move on.

import { type Cell, type Options, SIDE, type View, sameCell, sideOf } from "./view";

type OrderTank = Extract<Options, { choose: "orders" }>["tanks"][number];

/** A standing order in a round. */
export interface March {
  target: Cell;
  /** The cells from the next one to the target; empty while the tank is dead. */
  path: Cell[];
  /** The order of this round. */
  order: string;
}

/** Rounds that a friend or an enemy on the way is expected to cost. */
const MEETING = 3;

const STEPS: readonly Cell[] = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1],
];

/** The march of a tank to a cell; null if no way leads there. */
export function planMarch(tank: OrderTank, target: Cell, view: View): March | null {
  if (!tank.cell) return { target, path: [], order: "STOP" };
  const path = findPath(tank, tank.cell, target, view);
  return path && { target, path, order: orderTowards(tank, path[0], view) };
}

export const isBrick = ([row, col]: Cell, view: View): boolean =>
  /[12]/.test(view.terrain[row - 1]?.[col - 1] ?? "");

export function isEnemy(cell: Cell, tank: number, view: View): boolean {
  return view.tanks.some(
    (other) => sideOf(other.id) !== sideOf(tank) && sameCell(other.cell, cell),
  );
}

function orderTowards(tank: OrderTank, next: Cell | undefined, view: View): string {
  if (!next) return "STOP";
  if (isBrick(next, view) || isEnemy(next, tank.id, view)) return `FIRE:${next[0]}:${next[1]}`;
  return tank.go.find(({ cell, legal }) => legal && sameCell(cell, next))?.order ?? "STOP";
}

/** Rounds to get onto a cell from its neighbour; infinite for stone and cells off the map. */
function costOf(cell: Cell, tank: OrderTank, view: View): number {
  const ground = view.terrain[cell[0] - 1]?.[cell[1] - 1] ?? "#";
  if (ground === "#") return Infinity;
  const isTaken = view.tanks.some((other) => other.id !== tank.id && sameCell(other.cell, cell));
  return 1 + (ground === "." ? 0 : Number(ground)) + (isTaken ? MEETING : 0);
}

/** The quickest way, by Dijkstra's algorithm; the map is small. */
function findPath(tank: OrderTank, from: Cell, target: Cell, view: View): Cell[] | null {
  const numberOf = ([row, col]: Cell) => row * (SIDE + 2) + col;
  const rounds = new Map([[numberOf(from), 0]]);
  const before = new Map<number, Cell>();
  const open: Cell[] = [from];
  while (open.length > 0) {
    open.sort((a, b) => rounds.get(numberOf(b))! - rounds.get(numberOf(a))!);
    const cell = open.pop()!;
    if (sameCell(cell, target)) return pathBack(before, cell, numberOf);
    for (const [down, right] of STEPS) {
      const next: Cell = [cell[0] + down, cell[1] + right];
      const total = rounds.get(numberOf(cell))! + costOf(next, tank, view);
      if (total >= (rounds.get(numberOf(next)) ?? Infinity)) continue;
      if (!rounds.has(numberOf(next))) open.push(next);
      rounds.set(numberOf(next), total);
      before.set(numberOf(next), cell);
    }
  }
  return null;
}

function pathBack(
  before: ReadonlyMap<number, Cell>,
  target: Cell,
  numberOf: (cell: Cell) => number,
): Cell[] {
  const path: Cell[] = [];
  let cell = target;
  for (;;) {
    const previous = before.get(numberOf(cell));
    if (!previous) return path.reverse();
    path.push(cell);
    cell = previous;
  }
}
