// How time passes while a leg is shown. Pure: `tick` says where the show is some milliseconds later.

/** What is shown: the way from the step before to this one; `t` is 1 where it has arrived. */
export interface Head {
  step: number;
  t: number;
}

export const SPEEDS = [1, 2, 8, 32, 128] as const;

/** Milliseconds of the way to a single step, when nothing plays. */
export const GLIDE = 170;

/** Steps behind the head of a live match beyond which the show hurries. */
const BEHIND = 3;

export interface Pace {
  /** Milliseconds of a step. */
  step: number;
  playing: boolean;
  last: number;
  /** The match is live and the reader watches its head. */
  following: boolean;
}

export function tick(head: Head, ms: number, pace: Pace): Head {
  const { last, playing, following } = pace;
  const behind = last - head.step;
  const hurry = following ? 1 + Math.max(0, behind - BEHIND) / 2 : 1;
  const length = playing || following ? pace.step / hurry : GLIDE;
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

/** Goes to a step: the next one is glided to, any other is shown at once. */
export function goTo(head: Head, step: number): Head {
  if (step === head.step) return head;
  return { step, t: step === head.step + 1 ? 0 : 1 };
}
