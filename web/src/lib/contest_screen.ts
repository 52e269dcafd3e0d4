// What a contest's big screen shows, one scene after the other.

import type { ContestDetails, ContestEncounter, ContestStage, Visibility } from "./types";

/** A match, or the standings with the next dates. */
export type Scene =
  | { kind: "match"; id: number; live: boolean; entries: number[]; stage: number; place: string }
  | { kind: "standings" };

export const STANDINGS: Scene = { kind: "standings" };

/** Whether something is shown to everybody; the same rule as the server's. */
export function isShown(rule: Visibility, now: number, hasEnded: boolean): boolean {
  if (rule.kind === "always" || hasEnded) return true;
  return rule.kind === "from" && now >= rule.second * 1000;
}

/** How much a match is worth watching: how close it is, and how high its players stand. */
function interestOf(stage: ContestStage, encounter: ContestEncounter): number {
  const rows = stage.standings ?? [];
  const places = encounter.entries.map(
    (entry) => rows.find((row) => row.entry === entry)?.place ?? rows.length,
  );
  const [one = 0, other = 0] = encounter.points ?? [];
  const height = 1 - (places[0]! + places[1]!) / (2 * rows.length + 2);
  const closeness = encounter.points ? 1 - Math.abs(one - other) / Math.max(1, one + other) : 1;
  return height + closeness;
}

/**
 * The matches that may be shown, the most interesting first: live ones, then those of the latest
 * stage, which is where it is decided.
 */
export function listScenes(contest: ContestDetails): Scene[] {
  const scenes = contest.stages.flatMap((stage) =>
    (stage.encounters ?? []).flatMap((encounter) =>
      encounter.matches
        .filter(({ state, taken_back }) => taken_back === null && WATCHABLE.has(state))
        .map(({ id, state }) => ({
          scene: {
            kind: "match" as const,
            id,
            live: state === "running",
            entries: encounter.entries,
            stage: stage.number,
            place: encounter.place,
          },
          interest: interestOf(stage, encounter),
        })),
    ),
  );
  scenes.sort(
    (a, b) =>
      Number(b.scene.live) - Number(a.scene.live) ||
      b.scene.stage - a.scene.stage ||
      b.interest - a.interest ||
      b.scene.id - a.scene.id,
  );
  return scenes.map(({ scene }) => scene);
}

const WATCHABLE = new Set(["running", "finished"]);

/**
 * The scene after this one: the standings stand between two matches. `seen` holds the ids of the
 * matches that were shown, in order; when all were, the one that was shown longest ago comes again.
 */
export function nextScene(scenes: Scene[], now: Scene | null, seen: readonly number[]): Scene {
  if (now?.kind === "match") return STANDINGS;
  const matches = scenes.flatMap((scene) => (scene.kind === "match" ? [scene] : []));
  const fresh = matches.find(({ id }) => !seen.includes(id));
  const again = [...matches].sort((a, b) => seen.lastIndexOf(a.id) - seen.lastIndexOf(b.id))[0];
  return fresh ?? again ?? STANDINGS;
}

/** The index of the slowest speed at which so many milliseconds last at most this long. */
export function chooseSpeed(speeds: readonly number[], millis: number, most: number): number {
  const index = speeds.findIndex((speed) => millis / speed <= most);
  return index < 0 ? speeds.length - 1 : index;
}
