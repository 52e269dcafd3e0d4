// A moment of a match and its address: `?leg=2&round=37&step=5&eye=first`. `step` counts the steps within the round, from
// 0; it is left out at the round's first. `?leg=2&at=118` opens a frame by its number in the leg: links to a fault.

import type { Eye, Reel } from "./film";

export interface Address {
  leg: number | null;
  round: number | null;
  step: number | null;
  at: number | null;
  eye: Eye | null;
}

export function readAddress(query: URLSearchParams): Address {
  const eye = query.get("eye");
  return {
    leg: number(query.get("leg"), 1, 64),
    round: number(query.get("round"), 0, 100_000),
    step: number(query.get("step"), 0, 100_000),
    at: number(query.get("at"), 0, 999_999),
    eye: eye === "all" || eye === "first" || eye === "second" ? eye : null,
  };
}

function number(text: string | null, least: number, most: number): number | null {
  if (text === null || !/^\d{1,6}$/.test(text)) return null;
  return Math.min(most, Math.max(least, Number(text)));
}

/** The step that an address opens; the beginning if it says nothing. */
export function stepOf(reel: Reel, address: Address): number {
  if (address.at !== null) return reel.within(address.at);
  const start = address.round === null ? 0 : reel.roundStart(address.round);
  return reel.within(start + (address.step ?? 0));
}

/** The query of a moment, beside what else the query says. */
export function writeAddress(
  query: URLSearchParams,
  reel: Reel,
  step: number,
  leg: number,
  eye: Eye,
): URLSearchParams {
  const next = new URLSearchParams(query);
  const { round } = reel.frame(step);
  const within = reel.within(step) - reel.roundStart(round);
  set(next, "leg", leg > 1 ? leg : null);
  set(next, "round", round);
  set(next, "at", null);
  set(next, "step", within > 0 ? within : null);
  set(next, "eye", eye === "all" ? null : eye);
  return next;
}

function set(query: URLSearchParams, key: string, value: string | number | null): void {
  if (value === null) query.delete(key);
  else query.set(key, String(value));
}
