import { expect, test } from "vitest";
import { placeAt } from "./canvas";
import { millis, scoreLine, spentBars } from "./charts";
import { frame } from "./film.sample";
import type { Choice, MarkKind } from "./game";
import { choiceOf, deedOf } from "./keys";
import { type Placed, layOut, marksAt } from "./story";

const mark = (step: number, kind: MarkKind, seat: "first" | "second" | null = "first"): Placed => ({
  step,
  kind,
  seat,
  round: 1,
  glyph: kind[0]!,
  text: { en: kind, zh: kind },
});

test("what matters more is drawn where both do not fit", () => {
  const signs = layOut(
    [
      mark(10, "eaten"),
      mark(10, "death"),
      mark(11, "split"),
      mark(50, "eaten"),
      mark(10, "eaten", "second"),
    ],
    100,
    200,
  );
  expect(signs.map(({ x, lane, thin }) => [x, lane, thin])).toEqual([
    [20, 0, true],
    [20, 0, false],
    [22, 0, true],
    [100, 0, false],
    [20, 1, false],
  ]);
});

test("the marks near a point, the weightiest first", () => {
  const signs = layOut([mark(10, "eaten"), mark(12, "fault"), mark(90, "split")], 100, 100);
  expect(marksAt(signs, 11).map(({ kind }) => kind)).toEqual(["fault", "eaten"]);
  expect(marksAt(signs, 50)).toEqual([]);
});

test.each([
  [0, 0, { col: 0, row: 0 }],
  [29.9, 10, { col: 2, row: 1 }],
  [30, 10, null],
  [-1, 5, null],
  [5, 20, null],
])("under the point %f, %f", (x, y, place) => {
  expect(placeAt(x, y, 10, 3, 2)).toEqual(place);
});

const choice = (action: string, keys: string[]): Choice => ({
  action,
  keys,
  label: { en: "", zh: "" },
  legal: true,
  why: null,
});
const WASD = [choice("0", ["w"]), choice("1", ["d"]), choice("6", ["space"]), choice("5", ["r"])];

test.each([
  ["w", "0"],
  ["W", "0"],
  ["ArrowUp", "0"],
  ["ArrowRight", "1"],
  [" ", "6"],
  ["r", "5"],
  ["q", undefined],
])("the key %s says %s", (key, action) => {
  expect(choiceOf(WASD, key)?.action).toBe(action);
  const arrows = [choice("0", ["↑"]), choice("1", ["→"]), choice("6", [" "]), choice("5", ["r"])];
  expect(choiceOf(arrows, key)?.action, "bound to arrows").toBe(action);
});

test("the keys of the page", () => {
  expect(deedOf("5")).toEqual({ do: "speed", index: 4 });
  expect(deedOf("ArrowLeft")).toEqual({ do: "round", by: -1 });
  expect(deedOf("6")).toBeNull();
  expect(deedOf("constructor")).toBeNull();
});

test("charts have no more points than pixels", () => {
  const frames = Array.from({ length: 4000 }, (_, step) =>
    frame(step, step, { scores: [step, 0], spent_us: step ? [step, null] : undefined }),
  );
  const points = scoreLine(frames, 0, 300, 70, 4000).split("L").length;
  expect(points).toBeLessThanOrEqual(301);
  const bars = spentBars(frames, 100)!;
  expect(bars.longest).toEqual([3999, 0]);
  expect(bars.heights[0][99]).toBe(1);
  expect(bars.heights[1].every((height) => height === 0)).toBe(true);
  expect(spentBars([frame(0, 1)], 100)).toBeNull();
});

test.each([
  [70, "70 µs"],
  [2234, "2.2 ms"],
  [212_000, "212 ms"],
  [3_100_000, "3.1 s"],
])("%i µs is written %s", (us, text) => {
  expect(millis(us)).toBe(text);
});
