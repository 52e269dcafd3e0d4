// The movement of a playback. Pure: `advanceHead` returns the head some milliseconds later.

/** The transition to a step; `t` is 1 at its end. */
export interface PlaybackHead {
  step: number;
  t: number;
}

export const SPEEDS = [1, 2, 8, 32, 128] as const;

/** Milliseconds of the transition to a single step while nothing plays. */
export const GLIDE_MILLIS = 170;

/** The delay behind a live match, in steps, from which the playback is faster. */
const BEHIND = 3;

export interface Pace {
  /** Milliseconds of a step. */
  step: number;
  playing: boolean;
  last: number;
  /** The newest frame of a live match is followed. */
  following: boolean;
}

export function advanceHead(head: PlaybackHead, ms: number, pace: Pace): PlaybackHead {
  const { last, playing, following } = pace;
  const behind = last - head.step;
  const hurry = following ? 1 + Math.max(0, behind - BEHIND) / 2 : 1;
  const length = playing || following ? pace.step / hurry : GLIDE_MILLIS;
  let { step } = head;
  let t = head.t + ms / length;
  if (playing || following) {
    const whole = Math.min(Math.floor(t - 1e-9), last - step);
    if (t > 1 && whole > 0) {
      step += whole;
      t -= whole;
    }
  }
  return { step, t: Math.min(1, t) };
}

/** What is left of a time bank: `1:05`, below ten seconds `7.3`. */
export function formatClock(micros: number): string {
  const seconds = micros / 1e6;
  if (seconds < 10) return (Math.floor(seconds * 10) / 10).toFixed(1);
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** Goes to a step: with a transition to the next one, at once to any other. */
export function moveHead(head: PlaybackHead, step: number): PlaybackHead {
  if (step === head.step) return head;
  return { step, t: step === head.step + 1 ? 0 : 1 };
}
