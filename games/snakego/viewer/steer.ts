// Leads a snake by itself: to a cell that a person chose, or straight on while nothing there needs
// a person. It uses what the view shows, and decides nothing: where there is a choice, it asks.

import type { BoardCell, Question, Steering } from "$viewer/game_viewer";
import { type Cell, type Snake, type View, SIDE } from "./view";

/** The directions of the actions 1 to 4. */
export const DIRECTIONS: Record<string, Cell> = {
  "1": [1, 0],
  "2": [0, 1],
  "3": [-1, 0],
  "4": [0, -1],
};

/** Cells from the head within which an item is a choice. */
const ITEM_NEAR = 5;
/** Cells between two heads at which a person is asked, and is asked again. */
const HEAD_NEAR = [4, 2];

const numberOf = ([x, y]: Cell) => y * SIDE + x;
const isOnBoard = ([x, y]: Cell) => x >= 0 && y >= 0 && x < SIDE && y < SIDE;
const move = ([x, y]: Cell, [right, up]: Cell): Cell => [x + right, y + up];
const distance = ([x, y]: Cell, [u, v]: Cell) => Math.abs(x - u) + Math.abs(y - v);

const actingSnake = (view: View): Snake | undefined =>
  view.snakes.find(({ id }) => id === view.snake);

/** The cells of walls and snakes. */
function takenCells(view: View): Set<number> {
  const cells = [...view.walls.flat(), ...view.snakes.flatMap((snake) => snake.cells)];
  return new Set(cells.map(numberOf));
}

const isLegal = (question: Question, action: string) =>
  question.choices.some((choice) => choice.action === action && choice.legal);

/** The first action of the shortest way over free cells; a snake may end in its own body. */
function towards(view: View, question: Question, target: BoardCell): string | null {
  const snake = actingSnake(view);
  const head = snake?.cells[0];
  if (!snake || !head) return null;
  const taken = takenCells(view);
  const goal = numberOf([target.col, SIDE - 1 - target.row]);
  if (snake.cells.slice(2).some((cell) => numberOf(cell) === goal)) taken.delete(goal);
  const first = new Map<number, string>([[numberOf(head), ""]]);
  const open: Cell[] = [head];
  for (const cell of open) {
    for (const [action, way] of Object.entries(DIRECTIONS)) {
      const next = move(cell, way);
      const number = numberOf(next);
      if (!isOnBoard(next) || taken.has(number) || first.has(number)) continue;
      const begin = first.get(numberOf(cell)) || action;
      if (begin === action && cell === head && !isLegal(question, action)) continue;
      if (number === goal) return begin;
      first.set(number, begin);
      open.push(next);
    }
  }
  return null;
}

/** The action straight on, and what a person may want to know of; null at a turn of the way. */
function straight(view: View, question: Question, last: string | null) {
  const snake = actingSnake(view);
  const head = snake?.cells[0];
  if (!snake || !head) return null;
  const neck = snake.cells[1];
  const action = Object.keys(DIRECTIONS).find((one) =>
    neck ? numberOf(move(neck, DIRECTIONS[one]!)) === numberOf(head) : one === last,
  );
  if (action === undefined || !isLegal(question, action)) return null;
  const taken = takenCells(view);
  const next = move(head, DIRECTIONS[action]!);
  const isFree = (cell: Cell) => isOnBoard(cell) && !taken.has(numberOf(cell));
  if (!isFree(next) || !isFree(move(next, DIRECTIONS[action]!))) return null;
  return { action, notices: noticesOf(view, snake, head) };
}

function noticesOf(view: View, snake: Snake, head: Cell): string[] {
  const items = view.items.filter(({ x, y }) => distance([x, y], head) <= ITEM_NEAR);
  const others = view.snakes.filter(({ seat }) => seat !== snake.seat);
  const heads = others.flatMap(({ id, cells }) =>
    HEAD_NEAR.filter((near) => cells[0] && distance(cells[0], head) <= near).map(
      (near) => `head ${id} ${near}`,
    ),
  );
  return [...items.map(({ id }) => `item ${id}`), ...heads, ...(snake.ray ? ["ray"] : [])];
}

export const steering: Steering<View> = {
  piece: (view) => `${view.snake ?? ""}`,
  towards,
  straight,
};
