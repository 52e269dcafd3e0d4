// The types of a TankCraft leg's frames and questions; see `src/view.rs`, `src/event.rs` and
// `src/options.rs`.

import { type Message, m } from "$lib/messages";
import type { Lang, LocalizedText, Seat } from "$viewer/leg_frames";
import type { BoardCell } from "$viewer/game_viewer";

/** Row and column from 1, row 1 on top. */
export type Cell = [row: number, col: number];
export type TankType = "Striker" | "Pioneer" | "Sniper";

export interface Tank {
  id: number;
  type: TankType | null;
  cell: Cell | null;
  life: number | null;
  noharm: number | null;
  revive: number | null;
}

export interface View {
  round: number;
  you: Seat | null;
  gold: [number, number];
  kills: [number, number];
  /** `.` open, `#` stone, `2` and `1` brick. */
  terrain: string[];
  /** `R`, `B` or `N` by mine. */
  owners: string;
  /** `.` where the side sees enemies; null for a perspective that sees everything. */
  seen?: string[] | null;
  tanks: Tank[];
}

export interface Setup {
  map: string[];
  goal: number;
  rounds: number;
}

export interface Way {
  order: string;
  cell: Cell;
  legal: boolean;
  why: LocalizedText | null;
}

export interface TypeNumbers {
  type: TankType;
  attack: number;
  life: number;
  range: number;
}

export type Options =
  | { choose: "team"; types: TypeNumbers[]; tanks: number[] }
  | { choose: "orders"; tanks: (Tank & { range: number | null; go: Way[]; targets: Cell[] })[] };

export const SIDE = 21;

export const boardCell = ([row, col]: Cell): BoardCell => ({ row: row - 1, col: col - 1 });
export const cellOf = ({ row, col }: BoardCell): Cell => [row + 1, col + 1];
export const sameCell = (a: Cell | null | undefined, b: Cell | null | undefined): boolean =>
  !!a && !!b && a[0] === b[0] && a[1] === b[1];
export const cellName = ([row, col]: Cell): string => `(${row},${col})`;

/** Red has the numbers 0 to 4. */
export const sideOf = (tank: number): Seat => (tank < 5 ? "first" : "second");

const mineCells = new WeakMap<string[], Cell[]>();

/** The mines by number: row by row. */
export function minesOf({ map }: Setup): Cell[] {
  let cells = mineCells.get(map);
  if (!cells) {
    cells = map.flatMap((line, row) =>
      [...line].flatMap((glyph, col): Cell[] =>
        "rbn".includes(glyph) ? [[row + 1, col + 1]] : [],
      ),
    );
    mineCells.set(map, cells);
  }
  return cells;
}

/** The cell where a tank starts and revives. */
export function spawnOf({ map }: Setup, tank: number): Cell | null {
  const glyph = "ABCDEFGHIJ"[tank]!;
  const row = map.findIndex((line) => line.includes(glyph));
  return row < 0 ? null : [row + 1, map[row]!.indexOf(glyph) + 1];
}

export const LETTERS: Record<TankType, string> = { Striker: "S", Pioneer: "P", Sniper: "N" };

const TYPE_NAMES: Record<TankType, Message> = {
  Striker: m.tankcraft_striker,
  Pioneer: m.tankcraft_pioneer,
  Sniper: m.tankcraft_sniper,
};

export function typeName(type: TankType, locale: Lang): string {
  return TYPE_NAMES[type]({}, { locale });
}
