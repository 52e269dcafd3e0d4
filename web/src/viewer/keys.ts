// What a key does on a match page. Pure: it names the deed, the page does it.

import type { Choice } from "./game";

export type Deed =
  | { do: "toggle" | "first" | "last" | "eye" | "help" | "inspect" }
  | { do: "round" | "step" | "mark"; by: 1 | -1 }
  | { do: "speed"; index: number };

const DEEDS: Record<string, Deed> = {
  " ": { do: "toggle" },
  ArrowLeft: { do: "round", by: -1 },
  ArrowRight: { do: "round", by: 1 },
  ",": { do: "step", by: -1 },
  ".": { do: "step", by: 1 },
  "[": { do: "mark", by: -1 },
  "]": { do: "mark", by: 1 },
  Home: { do: "first" },
  End: { do: "last" },
  f: { do: "eye" },
  i: { do: "inspect" },
  "?": { do: "help" },
};

export function deedOf(key: string): Deed | null {
  if (/^[1-5]$/.test(key)) return { do: "speed", index: Number(key) - 1 };
  return Object.hasOwn(DEEDS, key) ? DEEDS[key]! : null;
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

/** Letters and arrows say the same, whichever of them a game has bound to a seat. */
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

/** The choice that a key says. */
export function choiceOf(choices: readonly Choice[], key: string): Choice | null {
  const name = NAMES[key] ?? key.toLowerCase();
  const bound = (name: string) =>
    choices.find(({ keys }) => keys.some((key) => (key === " " ? "space" : key) === name));
  const twin = TWINS[name];
  return bound(name) ?? (twin ? bound(twin) : undefined) ?? null;
}
