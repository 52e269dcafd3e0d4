import { expect, test } from "vitest";
import {
  contestStateLabel,
  describeChange,
  formatChance,
  formatCountdown,
  formatPlaces,
  groupByRound,
  matchRules,
  roundLabel,
} from "./contests";
import type { ContestEncounter, ContestRules, ContestSummary, MatchRules } from "./types";

test("rounds have names", () => {
  expect(roundLabel("r3.0")).toBe("Round 3");
  expect(roundLabel("w2.1")).toBe("Winners’ round 2");
  expect(roundLabel("l1.0")).toBe("Losers’ round 1");
  expect(roundLabel("final")).toBe("Final");
  expect(roundLabel("decider")).toBe("Decider");
});

test("rounds of a knockout are named by who is left", () => {
  const label = (players: number, place: string) =>
    roundLabel(place, { format: "single", players });
  expect(["w1.0", "w2.0", "w3.0", "w4.0"].map((place) => label(12, place))).toEqual([
    "Round of 16",
    "Quarter-finals",
    "Semi-finals",
    "Final",
  ]);
  expect(label(2, "w1.0")).toBe("Final");
  expect(roundLabel("w1.0", { format: "double", players: 2 })).toBe("Winners’ round 1");
});

test("clocks and handicaps are sentences", () => {
  const rules = (matches: MatchRules) => matchRules({ matches } as ContestRules).join(" ");
  expect(rules({ "time-limit-ms": null, handicaps: [] })).toBe("");
  expect(rules({ "bank-ms": 60_000, "increment-ms": 500, "time-limit-ms": 1500 })).toBe(
    "A turn takes at most 1.5 s. Each program has a time bank of 1 min for a leg; every turn adds 500 ms.",
  );
  expect(rules({ "grace-ms": 200, strikes: 3, keeps: true })).toMatch(/200 ms late.* 3 .*1 MiB/);
  const handicap = { accounts: ["ann"], languages: [], "time-limit-ms": 20, memory: 256 << 20 };
  expect(rules({ handicaps: [handicap] })).toBe(
    "Handicap of the bots of ann: at most 20 ms a turn and at most 256 MiB of memory.",
  );
  const fast = { ...handicap, accounts: [], languages: ["cpp", "rust"], memory: null };
  expect(rules({ handicaps: [fast] })).toBe(
    "Handicap of programs in cpp, rust: at most 20 ms a turn.",
  );
});

test("encounters stand below their round, in order", () => {
  const at = (place: string) => ({ place }) as ContestEncounter;
  const rounds = groupByRound(["r1.0", "r1.1", "r2.0"].map(at));
  expect(rounds.map(([round, all]) => [round, all.length])).toEqual([
    ["Round 1", 2],
    ["Round 2", 1],
  ]);
});

test("a countdown is in words until the moment has come", () => {
  const minute = 60_000;
  expect(formatCountdown(90 * minute, 0)).toBe("in 1 h 30 min");
  expect(formatCountdown(50 * 60 * minute, 0)).toBe("in 2 d 2 h");
  expect(formatCountdown(48 * 60 * minute, 0)).toBe("in 2 d");
  expect(formatCountdown(minute, 3 * minute)).toBe("");
});

test("only a contest that goes on is paused", () => {
  const label = (state: ContestSummary["state"]) =>
    contestStateLabel({ state, paused: true } as ContestSummary);
  expect(label("running")).toBe("paused");
  expect(label("annulled")).toBe("annulled");
});

test("a change says what was done, and why", () => {
  const change = (action: string, detail: object) =>
    describeChange({ at: "2027-01-01T00:00:00Z", action, by: "ada", detail });
  expect(change("replay-match", { match: 7, why: "no memory" })).toBe(
    "match 7 is played again – no memory",
  );
  const moved = change("update", { changes: [{ key: "title" }, { key: "x", from: 0, to: 60 }] });
  expect(moved).toMatch(/^changed the file – title; x: .+ → .+/);
  expect(change("new-thing", {})).toBe("new-thing");
});

test("chances are never called certain, and places are a span", () => {
  expect([0, 0.004, 0.126, 0.999, 1].map(formatChance)).toEqual([
    "< 1%",
    "< 1%",
    "13%",
    "> 99%",
    "> 99%",
  ]);
  expect([formatPlaces([2, 2]), formatPlaces([1, 4])]).toEqual(["2", "1–4"]);
});
