// Groups of states of matches and versions.

import type { MatchState, VersionState } from "./types";

const OPEN_STATES: readonly MatchState[] = ["waiting", "queued", "running"];
const DECIDED_STATES: readonly VersionState[] = ["ready", "failed"];

/** Whether a match has ended: it is finished, void or cancelled. */
export function isMatchOver(state: MatchState): boolean {
  return !OPEN_STATES.includes(state);
}

/** Whether a version waits, or is being built or checked. */
export function isVersionPending(state: VersionState): boolean {
  return !DECIDED_STATES.includes(state);
}
