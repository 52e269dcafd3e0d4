// The moment of a leg that mattered most to somebody who played it: the worst mistake if the
// analysis knows one, else shortly before the decision.

import { m } from "$lib/messages";
import type { Decision } from "./analysis/analysis_types";
import { actionText, formatPercent } from "./analysis/words";
import { lastTurn, stepBeforeDecision } from "./decision";
import type { FrameBuffer } from "./frame_buffer";
import type { GameViewer } from "./game_viewer";
import type { Lang, LocalizedText, Seat } from "./leg_frames";

/** A smaller loss is not worth a sentence. */
const LEAST_LOSS = 0.05;

export interface EndMoment {
  /** The step before the decision that could have been another one. */
  step: number;
  round: number;
  /** What to do better, or what is seen there. */
  text: string;
}

/** What is known of the leg. */
export interface EndedLeg {
  viewer: GameViewer | null;
  buffer: FrameBuffer;
  /** The seat of whoever reads it. */
  seat: Seat;
  winner: Seat | null;
  /** Whether the reader resigned: then no move decided it. */
  hasResigned?: boolean;
  /** What the analysis found, and whether it is done. */
  decisions: readonly Decision[];
  isAnalysed: boolean;
  /** What the reader lacked most, where the leg was lost by many small steps. */
  advice?: LocalizedText | null;
}

/** The moment to show; null for a leg without moves. */
export function endMoment(leg: EndedLeg, lang: Lang): EndMoment | null {
  const { viewer, buffer, seat, winner, decisions, isAnalysed, advice } = leg;
  if (buffer.lastStep <= buffer.firstStep) return null;
  const all = decisions.filter((decision) => decision.seat === seat);
  const own = all.filter(({ fault }) => fault === undefined);
  const worst = own.reduce<Decision | null>(
    (most, one) => (one.loss > (most?.loss ?? LEAST_LOSS) ? one : most),
    null,
  );
  if (worst) {
    const { step, round, loss } = worst;
    const [played, best] = [worst.played, worst.best].map((action) =>
      actionText(viewer, action, seat, lang),
    ) as [string, string];
    const text = m.end_better({ round, played, best, loss: formatPercent(loss) }, { locale: lang });
    return { step, round, text };
  }
  if (leg.hasResigned) {
    const step = lastTurn(buffer, seat);
    const { round } = buffer.frameAt(step);
    return { step, round, text: m.end_resigned_here({ round }, { locale: lang }) };
  }
  const hasLost = winner !== null && winner !== seat;
  const step = stepBeforeDecision(buffer, winner, seat);
  const { round } = buffer.frameAt(step);
  // Who lost by a fault is told so above; that no move lost it would contradict that.
  const isBlameless = isAnalysed && hasLost && own.length === all.length;
  if (isBlameless && advice)
    return { step, round, text: m.end_try_first({ advice: advice[lang] }, { locale: lang }) };
  const message = isBlameless ? m.end_no_mistake : m.end_moment;
  return { step, round, text: message({ round }, { locale: lang }) };
}
