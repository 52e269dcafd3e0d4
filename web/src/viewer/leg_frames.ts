// All frames of one leg from one perspective, as the server sends them. A frame has a whole `view`
// or the `change` to the view before it. Nothing here knows the rules of a
// game.

import { builtInTitle } from "$lib/levels";
import type {
  Entrant,
  FaultSummary,
  Lang,
  LocalizedText,
  MatchSummary,
  Reason,
  Seat,
  Winner,
} from "$lib/types";

export type { Entrant, FaultSummary, Lang, LocalizedText, MatchSummary, Reason, Seat, Winner };

/** The perspective of the frames. */
export type Perspective = "all" | Seat;
export const PERSPECTIVES: readonly Perspective[] = ["all", "first", "second"];

export const SEATS: readonly Seat[] = ["first", "second"];

/** An event of a step; the other members are specific to the game. */
export interface GameEvent {
  event: string;
  [member: string]: unknown;
}

/** How a leg ended. */
export interface Outcome {
  winner: Seat | null;
  scores: [number, number];
  /** The reason, or only its id. */
  reason: string | Reason;
  faults?: [string | null, string | null];
  scope?: string;
}

export interface Frame {
  step: number;
  round: number;
  period: number;
  to_move: Seat[];
  scores: [number, number];
  token?: string;
  events?: GameEvent[];
  outcome?: Outcome;
  view?: unknown;
  change?: Change;
  /** Time of the replies of this step in microseconds, if known. */
  spent_us?: [number | null, number | null];
  /** What is left of each seat's time bank in microseconds, in recorded matches that have one. */
  bank_us?: [number | null, number | null];
}

/** An answer that counted although it was late. */
export interface Strike {
  seat: Seat;
  /** The step, from 0. */
  step: number;
  late_us: number;
}

export interface LegFrames {
  /** With the sentences of why each leg ended, which the rules of a game file bring. */
  match: (MatchSummary & { leg_reasons?: Reason[] }) | null;
  game: string;
  rules: string;
  entrants: [string, string];
  seats: Record<Seat, Entrant>;
  leg: number;
  legs: number;
  rounds: number;
  setup: unknown;
  perspective: Perspective;
  frames: Frame[];
  outcome: Outcome | null;
  verdict: { winner: Winner | null; reason: string | Reason } | null;
  faults: FaultSummary[];
  /** In recorded matches with a grace. */
  strikes?: Strike[];
  /** How many a seat may have in a leg. */
  strikes_allowed?: number | null;
  status: string;
  /** Why the server made the frames of a file: the page has no engine, or rules were slow. */
  byServer?: "engineless" | "slow";
  /**
   * For a replay file only: true, or the place where the rules differ from the record; false if
   * only the form could be checked.
   */
  verified?: boolean | { leg: number; round: number; what: string | LocalizedText };
}

/**
 * Brings leg frames into the form of the API: replay files name the entrants "A" and "B", and a
 * winner that is null there is a draw.
 */
export function parseLegFrames(sent: LegFrames): LegFrames {
  const lowerCase = <T>(name: T): T =>
    typeof name === "string" ? (name.toLowerCase() as T) : name;
  const { verdict, faults } = sent;
  const reason = sent.match?.leg_reasons?.[sent.leg - 1];
  const told = <T extends Outcome | null | undefined>(outcome: T): T =>
    outcome && reason?.id === outcome.reason ? { ...outcome, reason } : outcome;
  return {
    ...sent,
    outcome: told(sent.outcome),
    frames: sent.frames.map((frame) =>
      frame.outcome ? { ...frame, outcome: told(frame.outcome) } : frame,
    ),
    verdict: verdict && { ...verdict, winner: lowerCase(verdict.winner) ?? "draw" },
    faults: (faults ?? []).map((fault) => ({ ...fault, entrant: lowerCase(fault.entrant) })),
  };
}

/** How many late answers of a seat had counted before this step. */
export function strikesBefore({ strikes }: LegFrames, seat: Seat, step: number): number {
  return (strikes ?? []).filter((one) => one.seat === seat && one.step < step).length;
}

/** The name of the entrant who has this seat. */
export function entrantNameOf(legFrames: LegFrames, seat: Seat): string {
  return entrantName(legFrames, legFrames.seats[seat]);
}

/** The name of an entrant; the names of levels are reserved for the built-in bots. */
export function entrantName({ entrants }: LegFrames, entrant: Entrant): string {
  return builtInTitle(entrants[entrant === "a" ? 0 : 1]);
}

/** `[v]` replaces the value by v; an object changes members, or elements by their index. */
export type Change = [unknown] | { [member: string]: Change };

/** The value after a change. The value before is not modified; both share unchanged parts. */
export function applyChange(value: unknown, change: Change): unknown {
  if (Array.isArray(change)) return change[0];
  if (Array.isArray(value)) {
    const items = value.slice();
    for (const key in change)
      items[Number(key)] = applyChange(memberOf(items, Number(key), key), change[key]!);
    return items;
  }
  if (typeof value !== "object" || value === null) throw new Error("the change does not fit");
  const object = { ...(value as Record<string, unknown>) };
  for (const key in change) object[key] = applyChange(memberOf(object, key, key), change[key]!);
  return object;
}

function memberOf(
  of: unknown[] | Record<string, unknown>,
  key: string | number,
  name: string,
): unknown {
  if (!Object.hasOwn(of, key)) throw new Error(`the change does not fit: there is no ${name}`);
  return (of as Record<string | number, unknown>)[key];
}
