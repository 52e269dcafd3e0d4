// What an embedded match and the page around it say to each other by `postMessage`. Every message
// of the frame has `source: "leitai"`. The frame tells nothing that the page around it could not
// ask from the arena itself, so it tells everyone.

import type { Seat } from "./leg_frames";

/** Where the frame is. */
export interface EmbedMoment {
  match: number;
  leg: number;
  legs: number;
  round: number;
  /** The step of the leg, and its last one so far. */
  step: number;
  lastStep: number;
  live: boolean;
}

/** What the frame says. */
export type EmbedEvent =
  | ({ type: "ready" } & EmbedMoment)
  | ({ type: "step" } & EmbedMoment)
  | ({ type: "end"; winner: Seat | null } & EmbedMoment);

/** What the page around the frame says. */
export type EmbedCommand =
  | { type: "play" }
  | { type: "pause" }
  | { type: "seek"; leg: number | null; round: number | null; step: number | null };

/** Reads a message; null if it is no command. A stranger sent it. */
export function readEmbedCommand(data: unknown): EmbedCommand | null {
  if (typeof data !== "object" || data === null || !("type" in data)) return null;
  const { type, leg, round, step } = data as Record<string, unknown>;
  if (type === "play" || type === "pause") return { type };
  if (type !== "seek") return null;
  const command = { type, leg: readCount(leg), round: readCount(round), step: readCount(step) };
  const isPlace = command.leg !== null || command.round !== null || command.step !== null;
  return isPlace ? { ...command, type } : null;
}

function readCount(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 1_000_000
    ? (value as number)
    : null;
}

/** Sends an event to the page around this one, if there is one. */
export function sendEmbedEvent(event: EmbedEvent): void {
  if (window.parent !== window) window.parent.postMessage({ source: "leitai", ...event }, "*");
}
