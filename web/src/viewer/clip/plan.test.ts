import { expect, test } from "vitest";
import { type ClipSpan, END_MILLIS, countFrames, planFrames } from "./plan";

const span = (first: number, last: number, stepMillis: number): ClipSpan => ({
  first,
  last,
  stepMillis,
});

test("a GIF shows every position once, the last one longer", () => {
  expect(planFrames("gif", span(3, 5, 300))).toEqual([
    { step: 3, t: 1, millis: 300 },
    { step: 4, t: 1, millis: 300 },
    { step: 5, t: 1, millis: END_MILLIS },
  ]);
});

test("a fast GIF leaves out positions, because browsers show none shorter than 20 ms", () => {
  const frames = planFrames("gif", span(0, 7, 8));
  expect(frames.map(({ step }) => step)).toEqual([0, 3, 6, 7]);
  for (const { millis } of frames) expect(millis).toBeGreaterThanOrEqual(20);
});

test("a video has the transitions, and lasts as long as its steps and the last picture", () => {
  const frames = planFrames("webm", span(10, 12, 100));
  expect(frames[0]).toMatchObject({ step: 10, t: 1 });
  expect(frames.slice(1, 5).map(({ step }) => step)).toEqual([11, 11, 11, 12]);
  expect(frames[1]!.t).toBeCloseTo(1 / 3);
  expect(frames.at(-1)).toMatchObject({ step: 12, t: 1 });
  const whole = frames.reduce((sum, { millis }) => sum + millis, 0);
  expect(whole).toBeCloseTo(200 + END_MILLIS, -1.5);
});

test.each(["gif", "webm"] as const)("a %s of one position is whole, and counted right", (kind) => {
  for (const one of [span(4, 4, 300), span(0, 100, 7), span(0, 9, 300)])
    expect(planFrames(kind, one)).toHaveLength(countFrames(kind, one));
  expect(planFrames(kind, span(4, 4, 300))[0]).toMatchObject({ step: 4, t: 1 });
});
