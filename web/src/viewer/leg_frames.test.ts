import { expect, test } from "vitest";
import { FrameBuffer, FrameGap } from "./frame_buffer";
import {
  type Change,
  type LegFrames,
  applyChange,
  parseLegFrames,
  strikesBefore,
} from "./leg_frames";
import { sampleFrame } from "./frame_sample";

const CHANGES: { before: unknown; change: Change; after: unknown }[] = [
  {
    before: { a: [1, 2, 3], b: "x" },
    change: { a: { "2": [4] } },
    after: { a: [1, 2, 4], b: "x" },
  },
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

test.each(CHANGES)(
  "a change is applied as the crate game writes it",
  ({ before, change, after }) => {
    const copy = structuredClone(before);
    expect(applyChange(before, change)).toEqual(after);
    expect(before, "the value before stays as it was").toEqual(copy);
  },
);

test("unchanged parts are shared", () => {
  const before = { walls: [[1]], snakes: [{ id: 1 }, { id: 2 }] };
  const after = applyChange(before, { snakes: { "1": { id: [3] } } }) as typeof before;
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
  expect(() => applyChange(value, change)).toThrow("does not fit");
});

/** Rounds 1, 1, 2, 2, 4: round 3 has no step. */
function reel(): FrameBuffer {
  return new FrameBuffer([
    sampleFrame(0, 1, { view: { n: 0 } }),
    sampleFrame(1, 1, { change: { n: [1] } }),
    sampleFrame(2, 2),
    sampleFrame(3, 2, { change: { n: [3] } }),
    sampleFrame(4, 4, { change: { n: [4] } }),
  ]);
}

test("every step has its view", () => {
  expect([0, 1, 2, 3, 4].map((step) => reel().momentAt<{ n: number }>(step).view.n)).toEqual([
    0, 1, 1, 3, 4,
  ]);
  expect(reel().momentAt(0).before).toBeNull();
  expect(reel().momentAt(99).frame.step).toBe(4);
});

test("rounds are found, forwards and backwards", () => {
  const it = reel();
  expect([0, 1, 2, 3, 4, 5].map((round) => it.firstStepOfRound(round))).toEqual([0, 0, 2, 4, 4, 4]);
  expect(it.adjacentRoundStep(0, 1)).toBe(2);
  expect(it.adjacentRoundStep(3, -1)).toBe(2);
  expect(it.adjacentRoundStep(2, -1)).toBe(0);
  expect(it.adjacentRoundStep(4, -1)).toBe(2);
  expect(it.adjacentRoundStep(4, 1)).toBe(4);
  expect(it.adjacentRoundStep(0, -1)).toBe(0);
});

test("frames that arrive twice are ignored, a gap is refused", () => {
  const it = reel();
  it.appendFrames([
    sampleFrame(3, 2),
    sampleFrame(4, 4),
    sampleFrame(5, 5, { change: { n: [5] } }),
  ]);
  expect(it.lastStep).toBe(5);
  expect(() => it.appendFrames([sampleFrame(8, 6)])).toThrow(FrameGap);
  expect(it.lastStep).toBe(5);
});

test("entrants are lower case, also of a replay file", () => {
  const sent = {
    verdict: { winner: "A", reason: "x" },
    faults: [{ entrant: "B", code: "IA" }],
    frames: [],
  } as unknown as LegFrames;
  expect(parseLegFrames(sent).verdict?.winner).toBe("a");
  expect(parseLegFrames(sent).faults[0]?.entrant).toBe("b");
  expect(parseLegFrames({ ...sent, verdict: { winner: null, reason: "x" } }).verdict?.winner).toBe(
    "draw",
  );
});

test("why a leg ended is told by the sentence of the match, if it is the same reason", () => {
  const row = { id: "row", en: "with three in a row", zh: "三子连线" };
  const sent = {
    match: { leg_reasons: [{ id: "full", en: "", zh: "" }, row] },
    leg: 2,
    outcome: { reason: "row" },
    frames: [{ outcome: { reason: "row" } }, { step: 1 }],
    verdict: null,
  } as unknown as LegFrames;
  const read = parseLegFrames(sent);
  expect([read.outcome?.reason, read.frames[0]?.outcome?.reason]).toEqual([row, row]);
  expect(parseLegFrames({ ...sent, leg: 1 }).outcome?.reason).toBe("row");
  expect(parseLegFrames({ ...sent, match: null }).outcome?.reason).toBe("row");
});

test("a buffer can begin in the middle and gets the earlier frames afterwards", () => {
  const whole = reel();
  const late = new FrameBuffer([sampleFrame(3, 2, { view: { n: 3 } })]);
  late.appendFrames([sampleFrame(4, 4, { change: { n: [4] } })]);
  expect([late.firstStep, late.lastStep, late.clampStep(0), late.adjacentRoundStep(4, -1)]).toEqual(
    [3, 4, 3, 3],
  );
  expect(late.momentAt(3)).toMatchObject({ view: { n: 3 }, before: null });
  expect(() => late.appendFrames([sampleFrame(6, 4)])).toThrow(FrameGap);
  const all = late.prependFrames(whole.frames);
  expect([all.firstStep, all.lastStep, all.firstStepOfRound(1)]).toEqual([0, 4, 0]);
  expect(all.views).toEqual(whole.views);
});

test("strikes count up to the shown step, each for its seat", () => {
  const strikes = [
    { seat: "first", step: 3, late_us: 12_300 },
    { seat: "second", step: 3, late_us: 1 },
    { seat: "first", step: 8, late_us: 5 },
  ];
  const leg = { strikes } as unknown as LegFrames;
  const shown = [3, 4, 9].map((step) => strikesBefore(leg, "first", step));
  expect(shown).toEqual([0, 1, 2]);
  expect(strikesBefore(leg, "second", 9)).toBe(1);
  expect(strikesBefore({} as LegFrames, "first", 9)).toBe(0);
});
