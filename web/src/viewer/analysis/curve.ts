// The evaluation curve: the probability that the first seat wins, step by step.

import type { Outcome } from "../leg_frames";
import type { Decision } from "./analysis_types";

/** What the deciding seat could know, or the real position. They differ under fog only. */
export type Knowledge = "known" | "truth";

export interface CurvePoint {
  step: number;
  /** The probability that the first seat wins, 0 to 1. */
  value: number;
}

/** The points of the decisions so far, and of the leg's end once it is reached. */
export function curvePoints(
  decisions: readonly Decision[],
  knowledge: Knowledge,
  end: { step: number; outcome: Outcome } | null,
): CurvePoint[] {
  const points: CurvePoint[] = [];
  let sum = 0;
  let count = 0;
  decisions.forEach((decision, at) => {
    const { before } = (knowledge === "truth" && decision.truth) || decision;
    sum += decision.seat === "first" ? before : 1 - before;
    count++;
    // Both seats may decide in a step: the point is the mean of what both expect.
    if (decisions[at + 1]?.step === decision.step) return;
    points.push({ step: decision.step, value: sum / count });
    sum = count = 0;
  });
  if (end) points.push({ step: end.step, value: valueOfOutcome(end.outcome) });
  return points;
}

/** The points that are known, and those of a first look behind them. */
export function withSketch(
  known: readonly CurvePoint[],
  sketch: readonly CurvePoint[],
): CurvePoint[] {
  const last = known.at(-1)?.step ?? -1;
  return [...known, ...sketch.filter(({ step }) => step > last)];
}

function valueOfOutcome({ winner }: Outcome): number {
  if (winner === null) return 0.5;
  return winner === "first" ? 1 : 0;
}

/** The value at a step: that of the last point before it. Null before the first point. */
export function valueAt(points: readonly CurvePoint[], step: number): number | null {
  let found: number | null = null;
  for (const point of points) {
    if (point.step > step) break;
    found = point.value;
  }
  return found;
}

/** The curve as the path of an SVG of this size. */
export function curvePath(
  points: readonly CurvePoint[],
  lastStep: number,
  width: number,
  height: number,
): string {
  const x = (step: number) => ((step / Math.max(1, lastStep)) * width).toFixed(1);
  const y = (value: number) => ((1 - value) * height).toFixed(1);
  return points
    .map(({ step, value }, at) => `${at === 0 ? "M" : "L"}${x(step)} ${y(value)}`)
    .join("");
}

/** A sign beside the curve: its place in pixels, and whether it matters more than others. */
export interface CurveSign {
  x: number;
  y: number;
  isHeavy: boolean;
}

/** Pixels that a sign takes. */
const SIGN_SIZE = { wide: 13, high: 11 };

/** The signs that do not cover each other; where two would, the heavier one stays. */
export function fittingSigns<Sign extends CurveSign>(signs: readonly Sign[]): Set<Sign> {
  const kept = new Set<Sign>();
  const covers = (a: Sign, b: Sign) =>
    Math.abs(a.x - b.x) < SIGN_SIZE.wide && Math.abs(a.y - b.y) < SIGN_SIZE.high;
  for (const sign of [...signs].sort((a, b) => Number(b.isHeavy) - Number(a.isHeavy)))
    if (![...kept].some((other) => covers(sign, other))) kept.add(sign);
  return kept;
}
