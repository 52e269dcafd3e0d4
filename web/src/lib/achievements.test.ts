import { expect, test, vi } from "vitest";
import {
  addPending,
  addTry,
  countGame,
  countMatch,
  dayIn,
  isNothing,
  NOTHING,
  streakOf,
} from "./achievements";
import { tellFault } from "./faults";
import type { DailyChallenge, DailyResult } from "./types";

const person = { built_in: false, name: "guest" };
const match = (over: object) =>
  ({
    id: 7,
    game: "kob",
    a: person,
    b: { built_in: true, name: "level2" },
    winner: "a",
    scores: [[12, 4]],
    finished: "2026-11-27T17:00:00Z",
    ...over,
  }) as unknown as Parameters<typeof countMatch>[1];
const own = { match: 7, entrant: "a", day: null } as const;

test("a day is that of the arena's time zone", () => {
  const at = new Date("2026-11-27T17:00:00Z");
  expect(dayIn("UTC", at)).toBe("2026-11-27");
  expect(dayIn("Asia/Shanghai", at)).toBe("2026-11-28");
  expect(dayIn("nowhere", at)).toBe("2026-11-27");
});

test.each([
  [[], 0],
  [["2026-11-27"], 1],
  [["2026-11-26"], 1],
  [["2026-11-25"], 0],
  [["2026-11-25", "2026-11-26", "2026-11-27"], 3],
  [["2026-11-24", "2026-11-26", "2026-11-27"], 2],
])("a streak goes on until a day without a match: %j", (days, streak) => {
  expect(streakOf(days, "2026-11-27")).toBe(streak);
});

test("a streak goes over the end of a month", () => {
  expect(streakOf(["2026-02-28", "2026-03-01"], "2026-03-01")).toBe(2);
});

test("a level is beaten by winning against it, and once", () => {
  const won = countMatch(NOTHING, match({}), own, "UTC");
  expect(won.games.kob).toEqual({ beaten: ["level2"], best: [12, 4] });
  expect([won.days, won.matches]).toEqual([["2026-11-27"], [7]]);
  expect(countMatch(won, match({}), own, "UTC")).toEqual(won);
  const lost = countMatch(NOTHING, match({ winner: "b", scores: [[4, 12]] }), own, "UTC");
  expect(lost.games.kob).toEqual({ beaten: [], best: null });
  const other = countMatch(NOTHING, match({ b: person }), own, "UTC");
  expect(other.games.kob?.beaten).toEqual([]);
});

test("the best score is the leg with the largest lead", () => {
  const first = countMatch(NOTHING, match({}), own, "UTC");
  const closer = countMatch(first, match({ id: 8, scores: [[20, 19]] }), own, "UTC");
  expect(closer.games.kob?.best).toEqual([12, 4]);
  const better = countGame(closer, {
    game: "kob",
    beaten: null,
    legs: [[30, 3]],
    at: new Date(0),
    zone: "UTC",
  });
  expect(better.games.kob?.best).toEqual([30, 3]);
});

test("a try of the challenge counts as one, and beats no level", () => {
  const day = "2026-11-27";
  const mine = { match: 7, entrant: "b", day } as const;
  const sides = { a: { built_in: true, name: "level3" }, b: person };
  const lost = countMatch(NOTHING, match({ ...sides, winner: "a" }), mine, "UTC");
  expect(lost.daily[day]).toEqual({ won: false, tries: [7], lead: -8 });
  const won = countMatch(
    lost,
    match({ ...sides, id: 8, winner: "b", scores: [[3, 5]] }),
    mine,
    "UTC",
  );
  expect(won.daily[day]).toEqual({ won: true, tries: [7, 8], lead: 2 });
  expect(won.games.kob?.beaten).toEqual([]);
  expect(addTry(won.daily[day], 9, true, 99)).toEqual(won.daily[day]);
});

test("what is kept is bounded", () => {
  let pending: ReturnType<typeof addPending> = [];
  for (let id = 0; id < 100; id++)
    pending = addPending(pending, { match: id, entrant: "a", day: null });
  expect([pending.length, pending[0]?.match]).toEqual([40, 60]);
  // The day of a challenge is known before or after its seat.
  pending = addPending(pending, { match: 99, entrant: "a", day: "2026-11-27" });
  pending = addPending(pending, { match: 99, entrant: "a", day: null });
  expect([pending.length, pending.at(-1)?.day]).toEqual([40, "2026-11-27"]);
  let reached = NOTHING;
  for (let id = 1; id <= 300; id++) reached = countMatch(reached, match({ id }), own, "UTC");
  expect([reached.matches.length, reached.matches[0]]).toEqual([200, 101]);
  expect([isNothing(NOTHING), isNothing(reached)]).toEqual([true, false]);
});

test.each([
  [{ tries: [7], won: false, lead: 0 }, "Not solved yet: one try", "▫"],
  [{ tries: [7, 8], won: false, lead: 0 }, "Not solved yet: 2 tries", "▫▫"],
  [{ tries: [7, 8], won: true, lead: 1 }, "Solved at try 2", "▫▪"],
])("a shared result says what the page says: %o", async (result, said, marks) => {
  vi.stubGlobal("location", { origin: "https://arena", pathname: "/", search: "", hash: "" });
  vi.stubGlobal("addEventListener", () => {});
  const { shareText } = await import("./daily");
  const text = shareText(
    { game: "kob", day: "2026-11-29" } as DailyChallenge,
    result as DailyResult,
  );
  expect(text.split("\n")).toEqual([
    expect.stringContaining(` · ${said}`),
    marks,
    "https://arena/daily",
  ]);
});

test("a person who is gone has resigned, a program has exited", () => {
  expect([tellFault("EXIT", true), tellFault("exited", true)]).toEqual(["resigned", "resigned"]);
  expect(tellFault("EXIT", false)).toBe("exited before the end");
  expect(tellFault("TLE", true)).not.toBe("resigned");
});
