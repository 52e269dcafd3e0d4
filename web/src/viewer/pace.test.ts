import { expect, test } from "vitest";
import { GLIDE_MILLIS, type Pace, advanceHead, formatClock, moveHead } from "./pace";

const still: Pace = { step: 100, playing: false, last: 10, following: false };
const playing = { ...still, playing: true };
const live = { ...still, following: true };

test.each([
  [
    "a single step glides and stops",
    { step: 3, t: 0 },
    GLIDE_MILLIS / 2,
    still,
    { step: 3, t: 0.5 },
  ],
  ["… at its end", { step: 3, t: 0.9 }, 1000, still, { step: 3, t: 1 }],
  ["play goes on", { step: 3, t: 1 }, 50, playing, { step: 4, t: 0.5 }],
  ["several steps in one frame", { step: 3, t: 0.5 }, 300, playing, { step: 6, t: 0.5 }],
  ["play ends at the last step", { step: 9, t: 0.5 }, 5000, playing, { step: 10, t: 1 }],
  ["whoever follows goes on", { step: 9, t: 1 }, 50, live, { step: 10, t: 0.5 }],
  ["and waits at the head", { step: 10, t: 1 }, 50, live, { step: 10, t: 1 }],
  ["and hurries when far behind", { step: 1, t: 1 }, 50, live, { step: 3, t: 1 }],
])("%s", (_, head, ms, pace, expected) => {
  const next = advanceHead(head, ms, pace);
  expect(next.step).toBe(expected.step);
  expect(next.t).toBeCloseTo(expected.t);
});

test("the next step has a transition, any other is shown at once", () => {
  expect(moveHead({ step: 3, t: 1 }, 4)).toEqual({ step: 4, t: 0 });
  expect(moveHead({ step: 3, t: 1 }, 2)).toEqual({ step: 2, t: 1 });
  expect(moveHead({ step: 3, t: 0.4 }, 3)).toEqual({ step: 3, t: 0.4 });
});

test.each([
  [0, "0.0"],
  [7_390_000, "7.3"],
  [9_999_999, "9.9"],
  [65_900_000, "1:05"],
])("%i µs of a time bank are %s", (micros, expected) => {
  expect(formatClock(micros)).toBe(expected);
});
