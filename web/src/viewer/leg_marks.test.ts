import { expect, test } from "vitest";
import { cellAtPoint } from "./canvas";
import { measuredScores, scorePath, timeBars } from "./charts";
import { FrameBuffer } from "./frame_buffer";
import { sampleFrame } from "./frame_sample";
import type { ActionChoice, MarkWeight } from "./game_viewer";
import { choiceForKey, keyAction } from "./keys";
import type { Outcome } from "./leg_frames";
import { type PlacedMark, lastOwnPeriod, layOutMarks, marksNear } from "./leg_marks";

const mark = (
  step: number,
  weight: MarkWeight,
  seat: "first" | "second" | null = "first",
): PlacedMark => ({
  step,
  weight,
  seat,
  round: 1,
  glyph: weight[0]!,
  text: { en: weight, zh: weight },
});

test("of two marks that do not fit, the more important is drawn", () => {
  const signs = layOutMarks(
    [
      mark(10, "minor"),
      mark(10, "loss"),
      mark(11, "notable"),
      mark(50, "minor"),
      mark(10, "minor", "second"),
    ],
    100,
    200,
  );
  expect(signs.map(({ x, row, thin }) => [x, row, thin])).toEqual([
    [20, 0, true],
    [20, 0, false],
    [22, 0, true],
    [100, 0, false],
    [20, 1, false],
  ]);
});

test("a mark of two characters needs more space", () => {
  const wide = { ...mark(10, "loss"), glyph: "??" };
  const thin = (glyph: string) =>
    layOutMarks([wide, { ...mark(15, "notable"), glyph }], 100, 200).map((sign) => sign.thin);
  expect(thin("??")).toEqual([false, true]);
  expect(layOutMarks([mark(10, "loss"), mark(15, "notable")], 100, 200)[1]!.thin).toBe(false);
});

test("the marks near a point, the most important first", () => {
  const signs = layOutMarks([mark(10, "minor"), mark(12, "fault"), mark(90, "notable")], 100, 100);
  expect(marksNear(signs, 11).map(({ weight }) => weight)).toEqual(["fault", "minor"]);
  expect(marksNear(signs, 50)).toEqual([]);
});

test.each([
  [0, 0, { col: 0, row: 0 }],
  [29.9, 10, { col: 2, row: 1 }],
  [30, 10, null],
  [-1, 5, null],
  [5, 20, null],
])("under the point %f, %f", (x, y, place) => {
  expect(cellAtPoint(x, y, 10, 3, 2)).toEqual(place);
});

const choice = (action: string, keys: string[]): ActionChoice => ({
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
  expect(choiceForKey(WASD, key)?.action).toBe(action);
  const arrows = [choice("0", ["↑"]), choice("1", ["→"]), choice("6", [" "]), choice("5", ["r"])];
  expect(choiceForKey(arrows, key)?.action, "bound to arrows").toBe(action);
});

test("the keys of the page", () => {
  expect(keyAction("5")).toEqual({ do: "speed", index: 4 });
  expect(keyAction("ArrowLeft")).toEqual({ do: "round", by: -1 });
  expect(keyAction("6")).toBeNull();
  expect(keyAction("constructor")).toBeNull();
});

test("charts have no more points than pixels", () => {
  const frames = Array.from({ length: 4000 }, (_, step) =>
    sampleFrame(step, step, { scores: [step, 0], spent_us: step ? [step, null] : undefined }),
  );
  const scores = frames.map((frame) => frame.scores);
  const points = scorePath(scores, 0, 300, 70, 4000).split("L").length;
  expect(points).toBeLessThanOrEqual(301);
  const bars = timeBars(frames, 100)!;
  expect(bars.longest).toEqual([3999, 0]);
  expect(bars.heights[0][99]).toBe(1);
  expect(bars.heights[1].every((height) => height === 0)).toBe(true);
  expect(timeBars([sampleFrame(0, 1)], 100)).toBeNull();
});

test.each([
  [0, "first", null],
  [1, "first", 10],
  [2, "first", 10],
  [2, "second", 11],
  [3, "first", 12],
  [4, "first", 12],
] as const)("the last turn before step %i of the %s", (step, seat, period) => {
  const sides = ["first", "second", "first", "second", "first"] as const;
  const frames = sides.map((side, at) =>
    sampleFrame(at, at, { view: {}, to_move: [side], period: 10 + at }),
  );
  expect(lastOwnPeriod(new FrameBuffer(frames), step, seat)).toBe(period);
});

test("a measure stays in the step in which the leg ends", () => {
  const frames = [0, 1, 2].map((at) =>
    sampleFrame(at, at, at === 2 ? { outcome: {} as Outcome, scores: [0, 1] } : {}),
  );
  const views = [
    [1, 1],
    [7, 3],
    [0, 0],
  ];
  const measure = (view: unknown) => view as [number, number];
  expect(measuredScores(frames, views, measure)).toEqual([
    [1, 1],
    [7, 3],
    [7, 3],
  ]);
  expect(measuredScores(frames, views, undefined).at(-1)).toEqual([0, 1]);
});
