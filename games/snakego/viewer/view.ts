// The types of a SnakeGo leg's frames; see `src/view.rs`, `src/position.rs` (events) and
// `src/setup.rs`.

import { m } from "$lib/messages";
import type { Lang, Seat } from "$viewer/leg_frames";
import type { BoardCell } from "$viewer/game_viewer";

export type Cell = [x: number, y: number];

export interface Snake {
  id: number;
  seat: Seat;
  bank: number;
  ray: boolean;
  /** The cells from head to tail. */
  cells: Cell[];
}

export interface Item {
  id: number;
  x: number;
  y: number;
  type: number;
  param: number;
  expires: number;
}

export interface View {
  round: number;
  rounds: number;
  to_move: Seat | null;
  you: Seat | null;
  snake: number | null;
  scores: [number, number];
  snakes: Snake[];
  walls: [Cell[], Cell[]];
  items: Item[];
}

export type ItemRow = [x: number, y: number, time: number, type: number, param: number];

export interface Setup {
  items: ItemRow[];
  max_round: number;
}

/** The cells of each side of the board; y grows upwards. */
export const SIDE = 16;
/**
 * "Each item stays on the map for 16 rounds." For coming items; the view has the last round of
 * those on the map.
 */
export const LASTS = 16;
export const LENGTH = 0;

export function boardCell([x, y]: readonly [number, number]): BoardCell {
  return { col: x, row: SIDE - 1 - y };
}

export function cellName({ col, row }: BoardCell): string {
  return `(${col}, ${SIDE - 1 - row})`;
}

export function snakesOf(view: View, seat: Seat): Snake[] {
  return view.snakes.filter((snake) => snake.seat === seat);
}

export function itemName(type: number, param: number): string {
  return type === LENGTH ? `+${param}` : "⚡";
}

/** The name of an item. */
export function describeItem(type: number, amount: number, locale: Lang): string {
  if (type === LENGTH) return m.snakego_item_length({ amount }, { locale });
  return m.snakego_item_ray({}, { locale });
}

/** The items on the map in a round, as far as this view knows: later ones may be taken before. */
export function itemsAt(view: View, setup: Setup, round: number): Item[] {
  const now = view.items.filter((item) => item.expires >= round);
  if (round <= view.round) return view.items;
  const coming = setup.items.flatMap(([x, y, time, type, param], id): Item[] =>
    time > view.round && time <= round && round < time + LASTS
      ? [{ id, x, y, type, param, expires: time + LASTS - 1 }]
      : [],
  );
  return [...now, ...coming];
}

/** The items that appear in the next rounds, soonest first. */
export function coming(view: View, setup: Setup, rounds: number): { row: ItemRow; wait: number }[] {
  return setup.items
    .map((row) => ({ row, wait: row[2] - view.round }))
    .filter(({ wait }) => wait > 0 && wait <= rounds);
}
