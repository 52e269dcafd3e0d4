import { expect, test } from "vitest";
import { addLine, byStake, LeadHistory, type Line, MOST_LINES, stakeIn } from "./stake";
import type { MatchSummary } from "./types";

const match = (id: number, over: object = {}) =>
  ({
    id,
    kind: "ladder",
    a: { bot: 1 },
    b: { bot: 2 },
    leg: 1,
    live_scores: null,
    ...over,
  }) as unknown as MatchSummary;
const none = new Map<number, number>();
const noFinals = new Set<number>();

test.each([
  ["nothing is known", {}, none, null],
  ["a contest", { kind: "contest" }, none, { kind: "contest" }],
  ["the weaker one leads", { live_scores: [3, 9] }, [2000, 1700], { kind: "upset" }],
  ["the stronger one leads", { live_scores: [9, 3] }, [2000, 1700], { kind: "top" }],
  ["strong and close", {}, [2000, 1990], { kind: "rivals", difference: 10 }],
  ["weak and close", {}, [1500, 1490], null],
] as const)("what is at stake: %s", (_, over, rated, stake) => {
  const ratings = rated instanceof Map ? rated : new Map([rated].flat().map((r, i) => [i + 1, r]));
  const found = stakeIn(
    match(7, over),
    ratings as Map<number, number>,
    new LeadHistory(),
    noFinals,
  );
  expect(found.stake).toEqual(stake);
});

test("the final goes first, then who fights for the lead", () => {
  const leads = new LeadHistory();
  const fight = (a: number, b: number) => match(2, { live_scores: [a, b] });
  for (const [a, b] of [
    [1, 0],
    [1, 2],
    [2, 2],
    [4, 2],
  ] as const)
    leads.look([match(1), fight(a, b), match(3)]);
  expect(leads.changesIn(2)).toBe(2);
  const order = (finals: Set<number>) =>
    byStake([match(1), fight(4, 2), match(3)], none, leads, finals).map(({ match }) => match.id);
  expect(order(noFinals)).toEqual([2, 3, 1]);
  expect(order(new Set([1]))).toEqual([1, 2, 3]);
  // Another leg begins anew.
  leads.look([match(2, { leg: 2, live_scores: [0, 1] })]);
  expect(leads.changesIn(2)).toBe(0);
});

test("an hour of matches leaves nothing behind", () => {
  const leads = new LeadHistory();
  let lines: readonly Line[] = [];
  for (let id = 0; id < 2000; id++) {
    leads.look([match(id), match(id + 1)]);
    lines = addLine(lines, { key: id, round: id, text: `round ${id}` });
  }
  expect([leads.size, lines.length]).toEqual([2, MOST_LINES]);
});

test("commentary is one line a round", () => {
  const line = (key: number, round: number, text: string) => ({ key, round, text });
  let lines = addLine([], line(1, 1, "one"));
  lines = addLine(lines, line(2, 1, "one"));
  expect(lines.map(({ key }) => key)).toEqual([1]);
  lines = addLine(lines, line(3, 1, "eaten"));
  lines = addLine(lines, line(4, 2, "two"));
  lines = addLine(lines, line(5, 3, ""));
  expect(lines.map(({ text }) => text)).toEqual(["eaten", "two"]);
});
