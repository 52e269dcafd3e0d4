// A leg as the server tells it, and the reel that plays it. A frame's `view` is what the eye sees, a later frame holds only
// the `change` to the view before (crates/game/src/frames.rs). Nothing here knows a rule of any game.

export type Seat = "first" | "second";
export type Eye = "all" | Seat;
export type Lang = "en" | "zh";
export type Entrant = "a" | "b";
export interface Text {
  en: string;
  zh: string;
}

/** Something that happened in a step; the other members are the game's own. */
export interface GameEvent {
  event: string;
  [member: string]: unknown;
}

export interface Outcome {
  winner: Seat | null;
  scores: [number, number];
  reason: string | { id: string; en: string; zh: string };
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
  /** Time of the replies of this step in microseconds, where it is known. */
  spent_us?: [number | null, number | null];
}

export interface FaultBrief {
  entrant: Entrant;
  seat?: Seat;
  code: string;
  leg?: number | null;
  round?: number;
  step?: number;
  what?: string | Text;
  hint?: string | Text;
  [member: string]: unknown;
}

export interface EntrantBrief {
  kind: "bot" | "person";
  name: string;
  bot: number | null;
  version: number | null;
  user: string | null;
  built_in: boolean;
  color?: string;
}

export interface MatchBrief {
  id: number;
  game: string;
  kind: string;
  state: string;
  a: EntrantBrief;
  b: EntrantBrief;
  winner: Entrant | "draw" | null;
  reason: { id: string; en: string; zh: string } | null;
  scores: [number, number][];
  faults: FaultBrief[];
  legs: number;
  leg: number | null;
  round: number | null;
  rounds: number | null;
  your?: Entrant | null;
  files?: { replay?: string };
  [member: string]: unknown;
}

export interface Film {
  match: MatchBrief | null;
  game: string;
  rules: string;
  entrants: [string, string];
  seats: { first: Entrant; second: Entrant };
  leg: number;
  legs: number;
  rounds: number;
  setup: unknown;
  eye: Eye;
  frames: Frame[];
  outcome: Outcome | null;
  verdict: { winner: Entrant | "draw" | null; reason: string | { id: string; en: string; zh: string } } | null;
  faults: FaultBrief[];
  status: string;
  verified?: true | { leg: number; round: number; what: string | Text };
}

/** Entrants are "A" and "B" in replay files and lower case in the API; a winner that is null is a draw. */
export function tidied(film: Film): Film {
  const entrant = <T>(name: T): T => (typeof name === "string" ? (name.toLowerCase() as T) : name);
  const { verdict, faults } = film;
  return {
    ...film,
    verdict: verdict && { ...verdict, winner: entrant(verdict.winner) ?? "draw" },
    faults: (faults ?? []).map((fault) => ({ ...fault, entrant: entrant(fault.entrant) })),
  };
}

/** `[v]` puts v in the place; an object goes into members, or by index into elements. */
export type Change = [unknown] | { [member: string]: Change };

/** The value after a change. The value before stays as it was; what has not changed is shared by both. */
export function applied(value: unknown, change: Change): unknown {
  if (Array.isArray(change)) return change[0];
  if (Array.isArray(value)) {
    const items = value.slice();
    for (const key in change) items[Number(key)] = applied(member(items, Number(key), key), change[key]!);
    return items;
  }
  if (typeof value !== "object" || value === null) throw new Error("the change does not fit");
  const object = { ...(value as Record<string, unknown>) };
  for (const key in change) object[key] = applied(member(object, key, key), change[key]!);
  return object;
}

function member(of: unknown[] | Record<string, unknown>, key: string | number, name: string): unknown {
  if (!Object.hasOwn(of, key)) throw new Error(`the change does not fit: there is no ${name}`);
  return (of as Record<string | number, unknown>)[key];
}

/** A moment of a leg with what led to it. `before` is the view one step earlier, null at the start. */
export interface Moment<View = unknown> {
  frame: Frame;
  view: View;
  before: View | null;
}

/** The frames of a leg with their views, growing while the leg is live. Frames and views stand at the index of their step;
 * before `first` there are none. */
export class Reel {
  readonly frames: Frame[] = [];
  readonly views: unknown[] = [];
  /** The first step that is there: of a live leg, the earlier ones can come later. */
  readonly first: number;
  /** By round: the first step at which it is played. */
  private readonly starts: number[] = [];

  constructor(frames: Frame[] = []) {
    this.first = frames[0]?.step ?? 0;
    this.frames.length = this.views.length = this.first;
    this.push(frames);
  }

  /** The same leg with the frames before the first one. They must reach it. */
  completed(earlier: readonly Frame[]): Reel {
    return new Reel([...earlier.slice(0, this.first), ...this.frames.slice(this.first)]);
  }

  /** Appends frames; those that are already there are passed over, a gap is refused. */
  push(frames: Frame[]): void {
    for (const frame of frames) {
      if (frame.step < this.frames.length) continue;
      if (frame.step > this.frames.length) throw new Gap(this.frames.length, frame.step);
      const last = this.views[this.views.length - 1];
      this.views.push(frame.view !== undefined ? frame.view : frame.change ? applied(last, frame.change) : last);
      this.frames.push(frame);
      this.starts[frame.round] ??= frame.step;
    }
  }

  get last(): number {
    return this.frames.length - 1;
  }

  /** The frame of this step, or the nearest there is. */
  frame(step: number): Frame {
    return this.frames[this.within(step)]!;
  }

  moment<View>(step: number): Moment<View> {
    const at = this.within(step);
    return {
      frame: this.frames[at]!,
      view: this.views[at] as View,
      before: at > this.first ? (this.views[at - 1] as View) : null,
    };
  }

  within(step: number): number {
    return Math.max(this.first, Math.min(this.last, Math.round(step)));
  }

  /** The first step at which this round, or the next one that was played, is on; the last step if there is none. */
  roundStart(round: number): number {
    for (let at = Math.max(0, round); at < this.starts.length; at++) {
      const step = this.starts[at];
      if (step !== undefined) return step;
    }
    return this.last;
  }

  /** The first step of the round after, or of the round before; from within a round, back means its own first step. */
  roundFrom(step: number, by: 1 | -1): number {
    const { round } = this.frame(step);
    if (by > 0) return this.roundStart(round + 1);
    const own = this.roundStart(round);
    if (own < step) return own;
    for (let at = round - 1; at >= 0; at--) if (this.starts[at] !== undefined) return this.starts[at]!;
    return this.first;
  }
}

/** Frames are missing between what is there and what came. */
export class Gap extends Error {
  constructor(have: number, got: number) {
    super(`the next frame should be that of step ${have}, but it is that of step ${got}`);
  }
}

/** What the seat said in the step that led to this frame. */
export function said(token: string | undefined, before: Seat[], seat: Seat): string | null {
  if (!token || token === "-") return null;
  if (before.length < 2) return before[0] === seat ? token : null;
  const [first, second] = token.split("/", 2) as [string, string | undefined];
  return (seat === "first" ? first : second) || null;
}

export const SEATS: readonly Seat[] = ["first", "second"];

export function other(seat: Seat): Seat {
  return seat === "first" ? "second" : "first";
}
