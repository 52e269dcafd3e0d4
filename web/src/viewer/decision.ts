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

/** The last step before another one at which a seat was to move; the first step if it never was. */
export function lastTurn(buffer: FrameBuffer, seat: Seat, before = buffer.lastStep + 1): number {
  let step = before - 1;
  while (step > buffer.firstStep && !buffer.frameAt(step).to_move.includes(seat)) step--;
  return step;
}

/**
 * The first step of the round some rounds before the decisive one. For a reader who had a seat it
 * was decided no later than by the last turn of that seat: later nothing could be done.
 */
export function stepBeforeDecision(
  buffer: FrameBuffer,
  winner: Seat | null,
  reader: Seat | null = null,
): number {
  const decisive = decisiveStep(buffer, winner);
  const step = reader === null ? decisive : lastTurn(buffer, reader, decisive) + 1;
  const { round } = buffer.frameAt(step);
  return buffer.firstStepOfRound(Math.max(0, round - ROUNDS_BEFORE));
}

function leadAt(buffer: FrameBuffer, step: number, winner: Seat | null): number {
  const [first, second] = buffer.frameAt(step).scores;
  return winner === "second" ? second - first : first - second;
}
