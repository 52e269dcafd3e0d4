import { expect, test } from "vitest";
import { decisiveStep, stepBeforeDecision } from "./decision";
import { FrameBuffer } from "./frame_buffer";
import type { Frame } from "./leg_frames";

function bufferOf(scores: [number, number][]): FrameBuffer {
  const frames = scores.map((scores, step): Frame => ({
    step,
    round: step,
    period: step,
    to_move: ["first"],
    scores,
    view: {},
  }));
  return new FrameBuffer(frames);
}

test("the winner's greatest gain decides a leg", () => {
  const buffer = bufferOf([
    [1, 1],
    [2, 1],
    [2, 9],
    [12, 9],
    [13, 9],
    [13, 12],
  ]);
  expect(decisiveStep(buffer, "first")).toBe(3);
  expect(decisiveStep(buffer, "second")).toBe(2);
  expect(decisiveStep(buffer, null)).toBe(3);
  expect(stepBeforeDecision(buffer, "first")).toBe(0);
});

test("without scores the end decides", () => {
  const buffer = bufferOf([
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  expect(decisiveStep(buffer, "second")).toBe(4);
  expect(stepBeforeDecision(buffer, "second")).toBe(1);
});
