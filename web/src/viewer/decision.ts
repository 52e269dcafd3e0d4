// The moment that decided a leg.

import type { FrameBuffer } from "./frame_buffer";
import type { Seat } from "./leg_frames";

/** The rounds that are shown before the decisive one. */
const ROUNDS_BEFORE = 3;

/**
 * The step at which the winner's lead grew most, the last of several; without a winner that of the
 * greatest change.
 */
export function decisiveStep(buffer: FrameBuffer, winner: Seat | null): number {
  let found = buffer.lastStep;
  let most = 0;
  for (let step = buffer.firstStep + 1; step <= buffer.lastStep; step++) {
    const gain = leadAt(buffer, step, winner) - leadAt(buffer, step - 1, winner);
    const size = winner === null ? Math.abs(gain) : gain;
    if (size < most || size <= 0) continue;
    most = size;
    found = step;
  }
  return found;
}

/** The first step of the round some rounds before the decisive one. */
export function stepBeforeDecision(buffer: FrameBuffer, winner: Seat | null): number {
  const { round } = buffer.frameAt(decisiveStep(buffer, winner));
  return buffer.firstStepOfRound(Math.max(0, round - ROUNDS_BEFORE));
}

function leadAt(buffer: FrameBuffer, step: number, winner: Seat | null): number {
  const [first, second] = buffer.frameAt(step).scores;
  return winner === "second" ? second - first : first - second;
}
