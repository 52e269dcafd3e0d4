// The analysis of a finished match that the arena makes once for all readers.

import { get, post } from "$lib/api";
import type { MatchAnalysis } from "$lib/engine/types";
import { session } from "$lib/session.svelte";

interface Answer {
  state: "none" | "waiting" | "running" | "failed" | "done";
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

/** Waits until the arena has made the analysis; null if it has not, or the reader stops. */
export async function awaitArena(id: number, signal: AbortSignal): Promise<MatchAnalysis[] | null> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLIS));
    if (signal.aborted) return null;
    const { state, legs } = await get<Answer>(`/matches/${id}/analysis`).catch((): Answer => ({
      state: "failed",
      legs: null,
    }));
    if (legs || state === "none" || state === "failed") return legs;
  }
  return null;
}
