// The meaning of keys on a match page. Pure: it returns the action, the page executes it.

import type { ActionChoice, BoardCell } from "./game_viewer";

export type KeyAction =
  | { do: "toggle" | "first" | "last" | "perspective" | "help" | "inspect" }
  | { do: "round" | "step" | "mark"; by: 1 | -1 }
  | { do: "speed"; index: number };

const KEY_ACTIONS: Record<string, KeyAction> = {
  " ": { do: "toggle" },
  ArrowLeft: { do: "round", by: -1 },
  ArrowRight: { do: "round", by: 1 },
  ",": { do: "step", by: -1 },
  ".": { do: "step", by: 1 },
  "[": { do: "mark", by: -1 },
  "]": { do: "mark", by: 1 },
  Home: { do: "first" },
  End: { do: "last" },
  f: { do: "perspective" },
  i: { do: "inspect" },
  "?": { do: "help" },
};

export function keyAction(key: string): KeyAction | null {
  if (/^[1-5]$/.test(key)) return { do: "speed", index: Number(key) - 1 };
  return Object.hasOwn(KEY_ACTIONS, key) ? KEY_ACTIONS[key]! : null;
}

const NAMES: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  " ": "space",
  Enter: "enter",
  Backspace: "backspace",
  Tab: "tab",
};

/** Letters and arrows have the same meaning, whichever of them a game has bound to a seat. */
const TWINS: Record<string, string> = {
  "↑": "w",
  "←": "a",
  "↓": "s",
  "→": "d",
  w: "↑",
  a: "←",
  s: "↓",
  d: "→",
};

/** The choice to which a key is bound. */
export function choiceForKey(choices: readonly ActionChoice[], key: string): ActionChoice | null {
  const name = NAMES[key] ?? key.toLowerCase();
  const bound = (name: string) =>
    choices.find(({ keys }) => keys.some((key) => (key === " " ? "space" : key) === name));
  const twin = TWINS[name];
  return bound(name) ?? (twin ? bound(twin) : undefined) ?? null;
}

const CURSOR_STEPS: Record<string, [col: number, row: number]> = {
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};

/** The cursor after a key: null if the key ends it, undefined if the key has no meaning here. */
export function cursorAfterKey(
  cursor: BoardCell,
  key: string,
  { cols, rows }: { cols: number; rows: number },
): BoardCell | null | undefined {
  if (key === "Escape") return null;
  const step = CURSOR_STEPS[key];
  if (!step) return undefined;
  const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value));
  return { col: clamp(cursor.col + step[0], cols), row: clamp(cursor.row + step[1], rows) };
}

export type Direction = "up" | "right" | "down" | "left";

const DIRECTION_KEYS: Record<string, Direction> = {
  w: "up",
  "↑": "up",
  d: "right",
  "→": "right",
  s: "down",
  "↓": "down",
  a: "left",
  "←": "left",
};

/** The direction of a choice, by its keys; null for other actions. */
export function directionOf({ keys }: ActionChoice): Direction | null {
  const found = keys.find((key) => Object.hasOwn(DIRECTION_KEYS, key));
  return found ? DIRECTION_KEYS[found]! : null;
}

/** The least way of a swipe in pixels. */
const SWIPE = 24;

/** The direction of a swipe; null if it is too short or diagonal. */
export function swipeDirection(dx: number, dy: number): Direction | null {
  const [far, near] = [Math.max(Math.abs(dx), Math.abs(dy)), Math.min(Math.abs(dx), Math.abs(dy))];
  if (far < SWIPE || near > far * 0.7) return null;
  if (Math.abs(dx) > Math.abs(dy)) return dx > 0 ? "right" : "left";
  return dy > 0 ? "down" : "up";
}

const KEY_SIGNS: Record<string, string> = {
  " ": "␣",
  space: "␣",
  enter: "⏎",
  backspace: "⌫",
  tab: "⇥",
};
const ALIAS: Record<string, string> = {
  w: "↑",
  a: "←",
  s: "↓",
  d: "→",
  "↑": "W",
  "←": "A",
  "↓": "S",
  "→": "D",
};

/** The keys of an action in signs. */
export const keySigns = (keys: readonly string[]) =>
  [...new Set(keys.flatMap((key) => [KEY_SIGNS[key] ?? key.toUpperCase(), ALIAS[key] ?? ""]))]
    .filter(Boolean)
    .sort()
    .reverse()
    .join(" ");
