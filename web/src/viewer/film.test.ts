import { expect, test } from "vitest";
import { type Change, type Film, Gap, Reel, applied, said, tidied } from "./film";
import { frame } from "./film.sample";

const CHANGES: { before: unknown; change: Change; after: unknown }[] = [
  { before: { a: [1, 2, 3], b: "x" }, change: { a: { "2": [4] } }, after: { a: [1, 2, 4], b: "x" } },
  { before: [[1, 2], [3, 4], "long"], change: { "1": [[3]] }, after: [[1, 2], [3], "long"] },
  { before: { a: null }, change: [{ a: 7 }], after: { a: 7 } },
  {
    before: [
      [1, 2],
      [3, 4],
    ],
    change: [
      [
        [5, 6],
        [7, 8],
      ],
    ],
    after: [
      [5, 6],
      [7, 8],
    ],
  },
  { before: 1, change: [[1]], after: [1] },
];

test.each(CHANGES)("a change is carried out as crates/game/src/frames.rs writes it", ({ before, change, after }) => {
  const copy = structuredClone(before);
  expect(applied(before, change)).toEqual(after);
  expect(before, "the value before stays as it was").toEqual(copy);
});

test("what has not changed is shared", () => {
  const before = { walls: [[1]], snakes: [{ id: 1 }, { id: 2 }] };
  const after = applied(before, { snakes: { "1": { id: [3] } } }) as typeof before;
  expect(after.walls).toBe(before.walls);
  expect(after.snakes[0]).toBe(before.snakes[0]);
  expect(after.snakes[1]).toEqual({ id: 3 });
});

const WRONG: { value: unknown; change: Change }[] = [
  { value: { a: 1 }, change: { b: [1] } },
  { value: [1], change: { "1": [1] } },
  { value: 1, change: { "0": [1] } },
  { value: {}, change: JSON.parse('{"toString":[1]}') as Change },
];

test.each(WRONG)("a change for something else is refused", ({ value, change }) => {
  expect(() => applied(value, change)).toThrow("does not fit");
});

/** Rounds 1, 1, 2, 2, 4: round 3 has no step of its own. */
function reel(): Reel {
  return new Reel([
    frame(0, 1, { view: { n: 0 } }),
    frame(1, 1, { change: { n: [1] } }),
    frame(2, 2),
    frame(3, 2, { change: { n: [3] } }),
    frame(4, 4, { change: { n: [4] } }),
  ]);
}

test("every step has its view", () => {
  expect([0, 1, 2, 3, 4].map((step) => reel().moment<{ n: number }>(step).view.n)).toEqual([0, 1, 1, 3, 4]);
  expect(reel().moment(0).before).toBeNull();
  expect(reel().moment(99).frame.step).toBe(4);
});

test("rounds are found and walked", () => {
  const it = reel();
  expect([0, 1, 2, 3, 4, 5].map((round) => it.roundStart(round))).toEqual([0, 0, 2, 4, 4, 4]);
  expect(it.roundFrom(0, 1)).toBe(2);
  expect(it.roundFrom(3, -1)).toBe(2);
  expect(it.roundFrom(2, -1)).toBe(0);
  expect(it.roundFrom(4, -1)).toBe(2);
  expect(it.roundFrom(4, 1)).toBe(4);
  expect(it.roundFrom(0, -1)).toBe(0);
});

test("frames that come twice are passed over, a gap is refused", () => {
  const it = reel();
  it.push([frame(3, 2), frame(4, 4), frame(5, 5, { change: { n: [5] } })]);
  expect(it.last).toBe(5);
  expect(() => it.push([frame(8, 6)])).toThrow(Gap);
  expect(it.last).toBe(5);
});

test.each<[string | undefined, ("first" | "second")[], "first" | "second", string | null]>([
  ["2", ["first"], "first", "2"],
  ["2", ["first"], "second", null],
  ["1/!TLE", ["first", "second"], "second", "!TLE"],
  ["1/!TLE", ["first", "second"], "first", "1"],
  ["/2", ["first", "second"], "first", null],
  ["-", ["first"], "first", null],
  [undefined, ["first"], "first", null],
])("who said what in the token %s of %s: %s", (token, before, seat, expected) => {
  expect(said(token, before, seat)).toBe(expected);
});

test("entrants are written in lower case, whoever wrote the film", () => {
  const film = { verdict: { winner: "A", reason: "x" }, faults: [{ entrant: "B", code: "IA" }] } as unknown as Film;
  expect(tidied(film).verdict?.winner).toBe("a");
  expect(tidied(film).faults[0]?.entrant).toBe("b");
  expect(tidied({ ...film, verdict: { winner: null, reason: "x" } }).verdict?.winner).toBe("draw");
});

test("a reel can begin in the middle, and gets the earlier frames afterwards", () => {
  const whole = reel();
  const late = new Reel([frame(3, 2, { view: { n: 3 } })]);
  late.push([frame(4, 4, { change: { n: [4] } })]);
  expect([late.first, late.last, late.within(0), late.roundFrom(4, -1)]).toEqual([3, 4, 3, 3]);
  expect(late.moment(3)).toMatchObject({ view: { n: 3 }, before: null });
  expect(() => late.push([frame(6, 4)])).toThrow(Gap);
  const all = late.completed(whole.frames);
  expect([all.first, all.last, all.roundStart(1)]).toEqual([0, 4, 0]);
  expect(all.views).toEqual(whole.views);
});
