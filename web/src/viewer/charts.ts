// Lines and bars of the charts.

import type { Frame } from "./leg_frames";

/**
 * What stands for the score step by step. A measure says nothing any more of the position in which
 * the leg ended, so the one before stays.
 */
export function measuredScores(
  frames: readonly Frame[],
  views: readonly unknown[],
  measure: ((view: unknown) => [number, number]) | undefined,
): [number, number][] {
  const scores: [number, number][] = [];
  frames.forEach((frame, at) => {
    const before = frame.outcome ? scores[at - 1] : undefined;
    scores[at] = measure ? (before ?? measure(views[at])) : frame.scores;
  });
  return scores;
}

/** The score of a seat as a path, at most one point a pixel. The first scores may be missing. */
export function scorePath(
  scores: readonly [number, number][],
  seat: 0 | 1,
  wide: number,
  high: number,
  most: number,
): string {
  const last = Math.max(1, scores.length - 1);
  const every = Math.max(1, Math.ceil(scores.length / wide));
  const point = (at: number) => {
    const y = high - 2 - (Math.max(0, scores[at]![seat]) / most) * (high - 4);
    return `${((at / last) * wide).toFixed(1)} ${y.toFixed(1)}`;
  };
  const points: string[] = [];
  const first = scores.findIndex((score) => score !== undefined);
  for (let at = Math.max(0, first); at < scores.length; at += every) points.push(point(at));
  points.push(point(scores.length - 1));
  return `M${points.join("L")}`;
}

export interface TimeBars {
  /** By seat and bar: the longest time of its steps, relative to the longest of all. */
  heights: [number[], number[]];
  /** Microseconds. */
  longest: [number, number];
}

/** Times as this many bars; null if no time is known. */
export function timeBars(frames: readonly Frame[], bars: number): TimeBars | null {
  const heights: [number[], number[]] = [
    new Array<number>(bars).fill(0),
    new Array<number>(bars).fill(0),
  ];
  const longest: [number, number] = [0, 0];
  let known = false;
  frames.forEach(({ spent_us }, at) => {
    for (const seat of [0, 1] as const) {
      const spent = spent_us?.[seat];
      if (spent == null) continue;
      known = true;
      const bar = Math.min(bars - 1, Math.floor((at / frames.length) * bars));
      heights[seat][bar] = Math.max(heights[seat][bar]!, spent);
      longest[seat] = Math.max(longest[seat], spent);
    }
  });
  if (!known) return null;
  const most = Math.max(1, ...longest);
  // Times differ by factors of a thousand; their square roots are all visible.
  return {
    heights: [
      heights[0].map((spent) => Math.sqrt(spent / most)),
      heights[1].map((spent) => Math.sqrt(spent / most)),
    ],
    longest,
  };
}
