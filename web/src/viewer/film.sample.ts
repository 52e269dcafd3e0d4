// A frame for tests.

import type { Frame } from "./film";

export function frame(step: number, round: number, more: Partial<Frame> = {}): Frame {
  return { step, round, period: round, to_move: ["first"], scores: [0, 0], ...more };
}
