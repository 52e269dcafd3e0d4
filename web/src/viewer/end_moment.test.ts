import { expect, test } from "vitest";
import type { Decision } from "./analysis/analysis_types";
import { endMoment } from "./end_moment";
import { FrameBuffer } from "./frame_buffer";
import { sampleFrame } from "./frame_sample";

const buffer = new FrameBuffer(
  Array.from({ length: 10 }, (_, step) => sampleFrame(step, step, { view: {} })),
);
const decision = (step: number, seat: "first" | "second", loss: number, fault?: string) =>
  ({ step, round: step, seat, loss, played: "1", best: "2", fault }) as Decision;
const leg = { viewer: null, buffer, seat: "first" as const, winner: "second" as const };

test.each<[string, Decision[], boolean, [number, string]]>([
  ["before the analysis", [], false, [6, "Round 6, shortly before it was decided."]],
  [
    "the worst mistake of the reader",
    [
      decision(2, "first", 0.1),
      decision(4, "first", 0.3),
      decision(5, "second", 0.9),
      decision(7, "first", 1, "TIMEOUT"),
    ],
    true,
    [4, "Round 4: you played 1, but 2 was better by 30%."],
  ],
  [
    "no mistake",
    [decision(3, "first", 0.04)],
    true,
    [6, "No single move lost it. Round 6 is shortly before it was decided."],
  ],
  [
    "a fault beside it",
    [decision(3, "first", 0.04), decision(9, "first", 0.5, "TIMEOUT")],
    true,
    [6, "Round 6, shortly before it was decided."],
  ],
])("the moment that the end names: %s", (_name, decisions, isAnalysed, [step, text]) => {
  const found = endMoment({ ...leg, decisions, isAnalysed }, "en");
  expect([found?.step, found?.text]).toEqual([step, text]);
});

test("who has nothing left to move is shown a moment at which something could be done", () => {
  const frames = Array.from({ length: 10 }, (_, step) =>
    sampleFrame(step, step, { view: {}, to_move: [step < 5 ? "first" : "second"] }),
  );
  const out = { ...leg, buffer: new FrameBuffer(frames), decisions: [], isAnalysed: false };
  expect(endMoment(out, "en")?.step).toBe(2);
  expect(endMoment({ ...out, hasResigned: true }, "zh")).toEqual({
    step: 4,
    round: 4,
    text: "第 4 回合，你在此认输。",
  });
});

test("a loss by small steps says what to try first", () => {
  const advice = { en: "Close loops.", zh: "合拢。" };
  const lost = { ...leg, decisions: [], isAnalysed: true, advice };
  expect(endMoment(lost, "en")?.text).toBe("No single move lost it. Try first: Close loops.");
});

test("a winner is not told of a loss", () => {
  const won = { ...leg, winner: "first" as const, decisions: [], isAnalysed: true };
  expect(endMoment(won, "en")?.text).toBe("Round 6, shortly before it was decided.");
});

test("a leg without moves has none", () => {
  const short = new FrameBuffer([sampleFrame(0, 1, { view: {} })]);
  expect(endMoment({ ...leg, buffer: short, decisions: [], isAnalysed: true }, "en")).toBe(null);
});
