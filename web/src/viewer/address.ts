// A moment of a match and its address: `?leg=2&round=37&step=5&perspective=first`. `step` counts
// the steps within the round from 0; it is omitted at the first. `?leg=2&at=118` opens a step by
// its number in the leg, as links to faults do. `?eye=` is an older name of `?perspective=`.
// The address of an embedded match may name its first round `from`.

import type { FrameBuffer } from "./frame_buffer";
import { PERSPECTIVES, type Perspective } from "./leg_frames";

export interface Address {
  leg: number | null;
  round: number | null;
  step: number | null;
  at: number | null;
  perspective: Perspective | null;
}

export const NO_ADDRESS: Address = {
  leg: null,
  round: null,
  step: null,
  at: null,
  perspective: null,
};

export function readAddress(query: URLSearchParams): Address {
  const perspective = query.get("perspective") ?? query.get("eye");
  return {
    leg: parseNumber(query.get("leg"), 1, 64),
    round: parseNumber(query.get("round") ?? query.get("from"), 0, 100_000),
    step: parseNumber(query.get("step"), 0, 100_000),
    at: parseNumber(query.get("at"), 0, 999_999),
    perspective: PERSPECTIVES.find((known) => known === perspective) ?? null,
  };
}

function parseNumber(text: string | null, least: number, most: number): number | null {
  if (text === null || !/^\d{1,6}$/.test(text)) return null;
  return Math.min(most, Math.max(least, Number(text)));
}

/** The step that an address opens; the first one if it names none. */
export function addressedStep(buffer: FrameBuffer, address: Address): number {
  if (address.at !== null) return buffer.clampStep(address.at);
  const start = address.round === null ? 0 : buffer.firstStepOfRound(address.round);
  return buffer.clampStep(start + (address.step ?? 0));
}

/** The query of a moment; other parameters of the query stay. */
export function writeAddress(
  query: URLSearchParams,
  buffer: FrameBuffer,
  step: number,
  leg: number,
  perspective: Perspective,
): URLSearchParams {
  const next = new URLSearchParams(query);
  const { round } = buffer.frameAt(step);
  const within = buffer.clampStep(step) - buffer.firstStepOfRound(round);
  setParameter(next, "leg", leg > 1 ? leg : null);
  setParameter(next, "round", round);
  setParameter(next, "at", null);
  setParameter(next, "step", within > 0 ? within : null);
  setParameter(next, "eye", null);
  setParameter(next, "perspective", perspective === "all" ? null : perspective);
  return next;
}

function setParameter(query: URLSearchParams, key: string, value: string | number | null): void {
  if (value === null) query.delete(key);
  else query.set(key, String(value));
}
