// The analysis of a finished match that the arena makes once for all readers.

import { get, post } from "$lib/api";
import type { MatchAnalysis } from "$lib/engine/types";
import { m } from "$lib/messages";
import { session } from "$lib/session.svelte";

interface Answer {
  state: "none" | "waiting" | "running" | "failed" | "done";
  /** The part that is done, 0 to 1. */
  done: number;
  legs: MatchAnalysis[] | null;
}

/** Milliseconds between two looks at an analysis that the arena makes. */
const LOOK_MILLIS = 2000;

/**
 * What the arena has of a match: the analyses of its legs, or whether it makes them now. With
 * `mayAsk` whoever is signed in asks for it; guests read what others asked for. Without an answer
 * the page has its own engine.
 */
export async function askArena(
  id: number,
  mayAsk: boolean,
): Promise<{ legs: MatchAnalysis[] | null; makes: boolean }> {
  const path = `/matches/${id}/analysis`;
  try {
    const { user } = await session.load();
    const known = await get<Answer>(path);
    const asks = mayAsk && user !== null && known.state === "none";
    const { state, legs } = asks ? await post<Answer>(path) : known;
    return { legs, makes: state === "waiting" || state === "running" };
  } catch {
    return { legs: null, makes: false };
  }
}

/**
 * The arena's analysis of a game that the page's engine does not know. Whoever is signed in asks
 * for it; `show` gets the part that is done. Null if the reader stops.
 */
export async function needArena(
  id: number,
  signal: AbortSignal,
  show: (done: number) => void,
): Promise<MatchAnalysis[] | null> {
  const path = `/matches/${id}/analysis`;
  const { user } = await session.load();
  let known = await get<Answer>(path);
  if (known.state === "none" && user === null) throw new Error(m.analysis_ask_login());
  if (known.state === "none") known = await post<Answer>(path);
  while (!signal.aborted) {
    if (known.legs) return known.legs;
    if (known.state === "none" || known.state === "failed")
      throw new Error(m.analysis_arena_failed());
    show(known.done);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
    if (!signal.aborted) known = await get<Answer>(path);
  }
  return null;
}

/** Waits until the arena has made the analysis; null if it has not, or the reader stops. */
export async function awaitArena(id: number, signal: AbortSignal): Promise<MatchAnalysis[] | null> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
    if (signal.aborted) return null;
    const { state, legs } = await get<Answer>(`/matches/${id}/analysis`).catch((): Answer => ({
      state: "failed",
      done: 0,
      legs: null,
    }));
    if (legs || state === "none" || state === "failed") return legs;
  }
  return null;
}
