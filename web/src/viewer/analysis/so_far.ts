// What the page computes of decisions by itself: the accuracy while an analysis runs, and a
// decision as the real position judges it.

import type { Decision, Grade } from "./analysis_types";
import { gradeOfLoss } from "./words";

/** A side of a leg as far as it was analysed. */
export interface SideSoFar {
  accuracy: number | null;
  grades: Record<Grade, number>;
}

/** The accuracy of one decision in percent: docs/analysis.md. */
const accuracyOfLoss = (loss: number) =>
  Math.min(100, Math.max(0, 103.1668 * Math.exp(-4.354 * Math.max(0, loss)) - 3.1669));

/** Null without a decision. */
export function sideSoFar(decisions: readonly Decision[]): SideSoFar | null {
  if (decisions.length === 0) return null;
  const grades: Record<Grade, number> = {
    best: 0,
    good: 0,
    inaccuracy: 0,
    mistake: 0,
    blunder: 0,
  };
  for (const { grade } of decisions) grades[grade]++;
  const chosen = decisions.filter(({ choices }) => choices > 1);
  const sum = chosen.reduce((sum, { loss }) => sum + accuracyOfLoss(loss), 0);
  const accuracy = chosen.length > 0 ? Math.round((sum / chosen.length) * 10) / 10 : null;
  return { accuracy, grades };
}

/** A decision as the real position judges it, where the seat could not know it. */
export function inTruth(decision: Decision): Decision {
  const { truth, fault } = decision;
  if (!truth) return decision;
  const grade = fault === undefined ? gradeOfLoss(truth.loss) : "blunder";
  const { proof_before: _, ...rest } = decision;
  return { ...rest, ...truth, grade, line: [truth.best] };
}
