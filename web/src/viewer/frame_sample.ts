// A frame for tests.

import type { Frame } from "./leg_frames";

export function sampleFrame(step: number, round: number, more: Partial<Frame> = {}): Frame {
  return { step, round, period: round, to_move: ["first"], scores: [0, 0], ...more };
}
