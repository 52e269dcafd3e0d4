// How much is at stake in a live match, so that the most exciting one is shown, and why.

import { interestOf, type Ratings } from "./interest";
import type { MatchSummary } from "./types";

/** Why a match is worth watching, the weightiest reason. */
export type Stake =
  | { kind: "final" }
  | { kind: "contest" }
  | { kind: "lead"; changes: number }
  | { kind: "upset" }
  | { kind: "rivals"; difference: number }
  | { kind: "top" };

/** A match with what is at stake in it. */
export interface Staked {
  match: MatchSummary;
  /** The more, the better to watch. */
  worth: number;
  stake: Stake | null;
}

/** What the reasons are worth, in points of rating. */
const WORTH = { final: 5000, contest: 2000, lead: 400, upset: 600, rivals: 300, top: 0 } as const;
/** Rivals differ by at most this many points, and are at least as strong as a settled bot. */
const RIVALS = 60;
const STRONG = 1700;
/** A leader that is weaker by so many points is an upset. */
const UPSET = 150;

/** Who led in a match, and how often that changed. */
interface Leads {
  leader: "a" | "b" | null;
  changes: number;
  leg: number | null;
}

/** Who leads; null while it is even or unknown. */
export function leaderOf({ live_scores }: Pick<MatchSummary, "live_scores">): "a" | "b" | null {
  const [a, b] = live_scores ?? [0, 0];
  return a === b ? null : a! > b! ? "a" : "b";
}

/**
 * Remembers who led in each live match. It knows only those that are live now, so it never grows
 * with the time that a page is open.
 */
export class LeadHistory {
  #leads = new Map<number, Leads>();

  /** Looks at the matches that are live now; forgets all others. */
  look(live: readonly MatchSummary[]): void {
    const now = new Map<number, Leads>();
    for (const match of live) {
      const before = this.#leads.get(match.id);
      const leader = leaderOf(match);
      if (!before || before.leg !== match.leg) {
        now.set(match.id, { leader, changes: 0, leg: match.leg });
        continue;
      }
      const changed = leader !== null && before.leader !== null && leader !== before.leader;
      now.set(match.id, {
        leader: leader ?? before.leader,
        changes: before.changes + Number(changed),
        leg: match.leg,
      });
    }
    this.#leads = now;
  }

  /** How often the lead has changed in the present leg of a match. */
  changesIn(id: number): number {
    return this.#leads.get(id)?.changes ?? 0;
  }

  get size(): number {
    return this.#leads.size;
  }
}

/** What is at stake in a match. */
export function stakeIn(
  match: MatchSummary,
  ratings: Ratings,
  leads: LeadHistory,
  finals: ReadonlySet<number>,
): Staked {
  const rating = (side: "a" | "b") => ratings.get(match[side].bot ?? -1);
  const [a, b] = [rating("a"), rating("b")];
  const reasons: Stake[] = [];
  if (finals.has(match.id)) reasons.push({ kind: "final" });
  else if (match.kind === "contest") reasons.push({ kind: "contest" });
  if (a !== undefined && b !== undefined) {
    const leader = leaderOf(match);
    const ahead = leader === "a" ? b - a : a - b;
    if (leader !== null && ahead >= UPSET) reasons.push({ kind: "upset" });
    const difference = Math.round(Math.abs(a - b));
    if (difference <= RIVALS && Math.min(a, b) >= STRONG)
      reasons.push({ kind: "rivals", difference });
  }
  const changes = leads.changesIn(match.id);
  if (changes > 0) reasons.push({ kind: "lead", changes });
  const worth = reasons.reduce(
    (sum, one) => sum + WORTH[one.kind] * (one.kind === "lead" ? Math.min(one.changes, 3) : 1),
    interestOf(match, ratings),
  );
  const weighty = [...reasons].sort((one, other) => WORTH[other.kind] - WORTH[one.kind]);
  const top = a !== undefined && b !== undefined && Math.min(a, b) >= STRONG;
  return { match, worth, stake: weighty[0] ?? (top ? { kind: "top" } : null) };
}

/** The matches, the one with most at stake first; of equal ones the newer. */
export function byStake(
  matches: readonly MatchSummary[],
  ratings: Ratings,
  leads: LeadHistory,
  finals: ReadonlySet<number>,
): Staked[] {
  return matches
    .map((match) => stakeIn(match, ratings, leads, finals))
    .sort((one, other) => other.worth - one.worth || other.match.id - one.match.id);
}

/** A line of commentary. */
export interface Line {
  /** Its number, which no other line of the page has. */
  key: number;
  round: number;
  text: string;
}

/** The most lines that are kept. */
export const MOST_LINES = 6;

/** Adds a line; the same text twice in a row is one, and the oldest is given up. */
export function addLine(lines: readonly Line[], line: Line): readonly Line[] {
  const last = lines.at(-1);
  if (line.text === "" || (last && last.text === line.text && last.round === line.round))
    return lines;
  // One line a round: what happened last in it.
  const kept = last?.round === line.round ? lines.slice(0, -1) : lines;
  return [...kept, line].slice(-MOST_LINES);
}
