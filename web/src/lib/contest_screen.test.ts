import { expect, test } from "vitest";
import { STANDINGS, chooseSpeed, isShown, listScenes, nextScene } from "./contest_screen";
import type { ContestDetails } from "./types";

const standings = [1, 2, 3, 4].map((place) => ({ place, entry: place * 10 }));
const encounter = (
  place: string,
  entries: number[],
  points: number[] | null,
  matches: object[],
) => ({
  place,
  entries,
  points,
  matches,
});
const match = (id: number, state = "finished", taken_back: string | null = null) => ({
  id,
  state,
  winner: null,
  taken_back,
});
const contest = {
  stages: [
    {
      number: 1,
      standings,
      encounters: [
        encounter("r1.0", [10, 20], [2, 2], [match(1), match(2, "finished", "2026-01-01")]),
        encounter("r1.1", [30, 40], [4, 0], [match(3), match(4, "queued")]),
      ],
    },
    {
      number: 2,
      standings,
      encounters: [encounter("r1.0", [30, 40], null, [match(5, "running")])],
    },
    { number: 3, standings: null, encounters: null },
  ],
} as unknown as ContestDetails;

const idOf = (scene: ReturnType<typeof nextScene>) => (scene.kind === "match" ? scene.id : null);

test("live matches come first, then close ones among the best; what does not count is left out", () => {
  expect(listScenes(contest).map(idOf)).toEqual([5, 1, 3]);
});

test("standings stand between matches, and the one shown longest ago comes again", () => {
  const scenes = listScenes(contest);
  const first = nextScene(scenes, null, []);
  expect(idOf(first)).toBe(5);
  expect(nextScene(scenes, first, [5])).toBe(STANDINGS);
  expect(idOf(nextScene(scenes, STANDINGS, [5]))).toBe(1);
  expect(idOf(nextScene(scenes, STANDINGS, [5, 1, 3]))).toBe(5);
  expect(idOf(nextScene(scenes, STANDINGS, [5, 1, 3, 5]))).toBe(1);
  expect(nextScene([], STANDINGS, [])).toBe(STANDINGS);
});

test("replays are shown when the file says so", () => {
  expect(isShown({ kind: "always" }, 0, false)).toBe(true);
  expect(isShown({ kind: "end" }, 0, false)).toBe(false);
  expect(isShown({ kind: "end" }, 0, true)).toBe(true);
  expect(isShown({ kind: "from", second: 5 }, 4_999, false)).toBe(false);
  expect(isShown({ kind: "from", second: 5 }, 5_000, false)).toBe(true);
});

test("a long leg is shown faster", () => {
  expect([10, 100, 1000, 1e9].map((length) => chooseSpeed([1, 2, 8], length, 50))).toEqual([
    0, 1, 2, 2,
  ]);
});
