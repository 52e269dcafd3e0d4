// What this reader has reached, kept in the browser, and with an account at the server.

import { ApiError, get, put } from "./api";
import {
  addPending,
  countGame,
  countMatch,
  dayIn,
  isNothing,
  NOTHING,
  type PendingMatch,
} from "./achievements";
import { session } from "./session.svelte";
import { isMatchOver } from "./states";
import type { Achievements, Entrant, MatchDetails, Seat } from "./types";

const KEY = "leitai.reached";

/** What the browser keeps. */
interface Kept {
  reached: Achievements;
  pending: readonly PendingMatch[];
  /** The arena's time zone, as it was told last. */
  zone: string;
}

/** What this reader has reached. */
class Reached {
  /** Known at once of what the browser keeps, and completed by {@link Reached.load}. */
  value: Achievements = $state.raw(readKept().reached);
  #loading: Promise<void> | null = null;

  /** Counts what has ended since, and hands it over to the account if there is one. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #load(): Promise<void> {
    await settle();
    const { reached } = readKept();
    this.value = reached;
    if (!(await session.load()).user) return;
    try {
      if (isNothing(reached)) {
        this.value = await get<Achievements>("/me/achievements");
        return;
      }
      this.value = await put<Achievements>("/me/achievements", reached);
      const now = readKept();
      // What was counted meanwhile stays for the next time.
      if (JSON.stringify(now.reached) === JSON.stringify(reached))
        writeKept({ ...now, reached: NOTHING });
    } catch {
      // The server is away: what the browser keeps stays there.
    }
  }

  /** A game that was played in this browser to its end. */
  noteLocal(game: string, beaten: string | null, leg: [number, number]): void {
    const kept = readKept();
    const played = { game, beaten, legs: [leg], at: new Date(), zone: kept.zone };
    const reached = countGame(kept.reached, played);
    writeKept({ ...kept, reached });
    this.value = reached;
  }
}

export const reached = new Reached();

/** Counts a leg that was played in this browser against a built-in bot. */
export async function noteLocalReplay(file: Blob, bot: string, seat: Seat): Promise<void> {
  try {
    const { game, legs } = JSON.parse(await file.text());
    const { winner, scores } = legs.at(-1).outcome;
    const pair = Array.isArray(scores) ? scores : [scores.first, scores.second];
    const [first, second] = pair as [number, number];
    const won = String(winner).toLowerCase() === seat;
    reached.noteLocal(game, won ? bot : null, seat === "first" ? [first, second] : [second, first]);
  } catch {
    // A leg that was broken off has no outcome.
  }
}

/** Notes that this reader plays in a match, perhaps as a try of the challenge of a day. */
export function notePlayed(match: number, entrant: Entrant, day: string | null = null): void {
  const kept = readKept();
  writeKept({ ...kept, pending: addPending(kept.pending, { match, entrant, day }) });
}

/** The day of the challenge that a match is a try of; null for other matches. */
export function dayOfTry(match: number): string | null {
  try {
    const tries = JSON.parse(localStorage.getItem(TRIES) ?? "{}") as Record<string, string>;
    return tries[String(match)] ?? null;
  } catch {
    return null;
  }
}

const TRIES = "leitai.tries";
/** The most tries whose day is known. */
const MOST_TRIES = 50;

/** Notes that a match is a try of the challenge of this day. */
export function noteTry(match: number, entrant: Entrant, day: string): void {
  notePlayed(match, entrant, day);
  try {
    const before = JSON.parse(localStorage.getItem(TRIES) ?? "{}") as Record<string, string>;
    const tries = Object.entries(before).slice(1 - MOST_TRIES);
    localStorage.setItem(TRIES, JSON.stringify({ ...Object.fromEntries(tries), [match]: day }));
  } catch {
    // Without storage the result is not kept.
  }
}

/** Notes the arena's time zone, in which its days begin. */
export function noteZone(zone: string): void {
  const kept = readKept();
  if (kept.zone !== zone) writeKept({ ...kept, zone });
}

/** Today in the arena's time zone. */
export function today(): string {
  return dayIn(readKept().zone, new Date());
}

/** Counts the results of the pending matches that are over. */
async function settle(): Promise<void> {
  const found = await Promise.all(readKept().pending.map(lookUp));
  // The browser's record may have changed meanwhile.
  let kept = readKept();
  for (const result of found) {
    if (result === null) continue;
    const { pending, match } = result;
    const counts = kept.pending.some((one) => one.match === pending.match);
    if (counts && match?.state === "finished")
      kept = { ...kept, reached: countMatch(kept.reached, match, pending, kept.zone) };
    kept = { ...kept, pending: kept.pending.filter((one) => one.match !== pending.match) };
  }
  if (found.some((result) => result !== null)) writeKept(kept);
}

/** A pending match that is over, or gone; null while it is played or nothing is known. */
async function lookUp(
  pending: PendingMatch,
): Promise<{ pending: PendingMatch; match: MatchDetails | null } | null> {
  try {
    const match = await get<MatchDetails>(`/matches/${pending.match}`);
    return isMatchOver(match.state) ? { pending, match } : null;
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? { pending, match: null } : null;
  }
}

function readKept(): Kept {
  const none: Kept = { reached: NOTHING, pending: [], zone: "UTC" };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Kept>;
    return { ...none, ...kept, reached: { ...NOTHING, ...kept.reached } };
  } catch {
    return none;
  }
}

function writeKept(kept: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Storage is full or not allowed: nothing is kept.
  }
}
