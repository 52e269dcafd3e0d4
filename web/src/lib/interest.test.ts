import { expect, test } from "vitest";
import { interestOf } from "./interest";
import type { MatchSummary } from "./types";

const RATINGS = new Map([
  [1, 2000],
  [2, 1980],
  [3, 1200],
  [4, 1190],
]);

const match = (a: number | null, b: number | null) =>
  ({ a: { bot: a }, b: { bot: b } }) as MatchSummary;

test.each([
  ["strong and close before weak and close", match(1, 2), match(3, 4)],
  ["close before a clear favourite", match(3, 4), match(1, 3)],
  ["a person counts as a newcomer", match(null, null), match(3, 4)],
])("%s", (_, one, other) => {
  expect(interestOf(one, RATINGS)).toBeGreaterThan(interestOf(other, RATINGS));
});
