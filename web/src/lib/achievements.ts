// What a player has reached: levels, best scores, days in a row, own matches, daily challenges. A
// browser keeps it of people without an account; src/lib/achievements.svelte.ts hands it over.

import type { Achievements, DailyResult, Entrant, MatchSummary } from "./types";

/** A match of this reader whose result is not counted yet. */
export interface PendingMatch {
  match: number;
  entrant: Entrant;
  /** The day of the challenge that it is a try of. */
  day: string | null;
}

/** The most matches, days and pending matches that a browser keeps. */
const MOST_MATCHES = 200;
const MOST_DAYS = 400;
const MOST_PENDING = 40;
/** The most tries of a challenge. */
const MOST_TRIES = 50;

export const NOTHING: Achievements = { games: {}, days: [], matches: [], daily: {} };

/** The game's part; empty for a game that was not played. */
export function reachedIn(reached: Achievements, game: string): Achievements["games"][string] {
  return reached.games[game] ?? { beaten: [], best: null };
}

/** The day of a moment in a time zone, as `2026-11-27`. An unknown zone is UTC. */
export function dayIn(zone: string, at: Date): string {
  const form = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
  const write = (timeZone: string) => {
    const parts = new Intl.DateTimeFormat("en-US", { ...form, timeZone }).formatToParts(at);
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
    return `${part("year")}-${part("month")}-${part("day")}`;
  };
  try {
    return write(zone);
  } catch {
    return write("UTC");
  }
}

/** The number of days in a row with a match, up to today, or up to yesterday if today has none. */
export function streakOf(days: readonly string[], today: string): number {
  const played = new Set(days);
  let day = played.has(today) ? today : dayBefore(today);
  let count = 0;
  for (; played.has(day); day = dayBefore(day)) count++;
  return count;
}

function dayBefore(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** What is reached with a finished match of this reader. */
export function countMatch(
  reached: Achievements,
  match: Pick<MatchSummary, "id" | "game" | "a" | "b" | "winner" | "scores" | "finished">,
  { entrant, day }: PendingMatch,
  zone: string,
): Achievements {
  const won = match.winner === entrant;
  const other = match[entrant === "a" ? "b" : "a"];
  const own = entrant === "a" ? 0 : 1;
  const legs = match.scores.map((pair) => [pair[own], pair[1 - own]] as [number, number]);
  const counted = countGame(reached, {
    game: match.game,
    // A challenge begins where somebody else stood: its opponent is not beaten in a whole match.
    beaten: won && other.built_in && day === null ? other.name : null,
    legs: day === null ? legs : [],
    at: new Date(match.finished ?? Date.now()),
    zone,
  });
  const matches = [...new Set([...counted.matches, match.id])].sort((a, b) => a - b);
  const lead = legs.reduce((sum, [mine, theirs]) => sum + mine - theirs, 0);
  const daily =
    day === null
      ? counted.daily
      : { ...counted.daily, [day]: addTry(counted.daily[day], match.id, won, lead) };
  return { ...counted, matches: matches.slice(-MOST_MATCHES), daily };
}

/** A game that was played to its end, here or at the arena. */
export interface PlayedGame {
  game: string;
  /** The built-in bot that was beaten; null if none was. */
  beaten: string | null;
  /** Own score and the other's of each leg. */
  legs: readonly [number, number][];
  at: Date;
  zone: string;
}

/** What is reached with a game, wherever it was played. */
export function countGame(reached: Achievements, played: PlayedGame): Achievements {
  const { beaten, best } = reachedIn(reached, played.game);
  const lead = (pair: readonly [number, number] | null) =>
    pair === null ? -Infinity : pair[0] - pair[1];
  const found = [best as [number, number] | null, ...played.legs.filter(([a, b]) => a > b)];
  const most = found.reduce((one, two) => (lead(two) > lead(one) ? two : one), null);
  const names = played.beaten ? [...new Set([...beaten, played.beaten])].sort() : beaten;
  const days = [...new Set([...reached.days, dayIn(played.zone, played.at)])].sort();
  return {
    ...reached,
    games: { ...reached.games, [played.game]: { beaten: names, best: most } },
    days: days.slice(-MOST_DAYS),
  };
}

/** The result of a challenge after another try. The first success stays. */
export function addTry(
  before: DailyResult | undefined,
  match: number,
  won: boolean,
  lead: number,
): DailyResult {
  if (before?.won) return before;
  const tries = [...new Set([...(before?.tries ?? []), match])].slice(-MOST_TRIES);
  return { won, tries, lead: won ? lead : Math.max(lead, before?.lead ?? lead) };
}

/** Adds a match whose result is to be counted; the oldest are given up. */
export function addPending(
  pending: readonly PendingMatch[],
  match: PendingMatch,
): readonly PendingMatch[] {
  const known = pending.find((one) => one.match === match.match);
  const others = pending.filter((one) => one.match !== match.match);
  return [...others, { ...match, day: match.day ?? known?.day ?? null }].slice(-MOST_PENDING);
}

/** Whether there is anything to hand over. */
export function isNothing({ games, days, matches, daily }: Achievements): boolean {
  return [games, days, matches, daily].every((part) => Object.keys(part).length === 0);
}
