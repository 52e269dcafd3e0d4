import { expect, test } from "vitest";
import { byInterest } from "./interest";
import type { MatchSummary } from "./types";

const RATINGS = new Map([
  [1, 2000],
  [2, 1980],
  [3, 1200],
  [4, 1190],
]);

const match = (id: number, a: number | null, b: number | null) =>
  ({ id, a: { bot: a }, b: { bot: b } }) as MatchSummary;

test.each([
  ["strong and close before weak and close", [match(1, 3, 4), match(2, 1, 2)], [2, 1]],
  ["close before a clear favourite", [match(1, 1, 3), match(2, 3, 4)], [2, 1]],
  ["a person counts as a newcomer", [match(1, 3, 4), match(2, null, null)], [2, 1]],
  ["of equal matches the newer", [match(1, 1, 2), match(5, 2, 1)], [5, 1]],
  ["nothing of nothing", [], []],
])("%s", (_, matches, order) => {
  expect(byInterest(matches, RATINGS).map(({ id }) => id)).toEqual(order);
});
