// The moments of a leg that are worth a look.

import { inBothLanguages, m } from "$lib/messages";
import type { GameViewer } from "../game_viewer";
import { type Seat, SEATS } from "../leg_frames";
import type { PlacedMark } from "../leg_marks";
import { GRADE_SIGNS, actionText, decisionLabel, formatPercent, isMistake } from "./words";
import {
  type Decision,
  type KeyMoment,
  type LegAnalysis,
  MOMENT_KINDS,
  type MomentKind,
  type SideAnalysis,
} from "./analysis_types";

/** The most moments that are listed. */
export const MOST_MOMENTS = 14;

/** The key moments of a leg in order; while the analysis runs, only mistakes are known. */
export function keyMoments(
  decisions: readonly Decision[],
  sides: LegAnalysis["sides"] | null,
): KeyMoment[] {
  const found = new Map<Decision, KeyMoment>();
  const add = (decision: Decision | undefined, kind: MomentKind, lostIn: number | null = null) => {
    if (!decision) return;
    const moment = found.get(decision) ?? { decision, kinds: [], lostIn: null };
    moment.kinds.push(kind);
    moment.lostIn ??= lostIn;
    found.set(decision, moment);
  };
  for (const side of sides ?? []) if (side) addSide(decisions, side, add);
  for (const decision of decisions) {
    if (isMistake(decision)) add(decision, decision.grade as MomentKind);
  }
  const heaviest = [...found.values()].sort(compareMoments).slice(0, MOST_MOMENTS);
  return heaviest.sort((a, b) => a.decision.step - b.decision.step);
}

type AddMoment = (decision: Decision | undefined, kind: MomentKind, lostIn?: number | null) => void;

function addSide(decisions: readonly Decision[], side: SideAnalysis, add: AddMoment): void {
  if (side.lost?.decision != null) add(decisions[side.lost.decision], "decisive");
  const forced = side.forced_loss;
  // That the last round was lost is no moment to look at.
  if (forced && forced.rounds > 1) add(decisions[forced.decision], "forced-loss", forced.rounds);
  if (side.last_held !== null) add(decisions[side.last_held], "last-held");
  for (const index of side.only_moves_missed) add(decisions[index], "only-move-missed");
}

function compareMoments(a: KeyMoment, b: KeyMoment): number {
  const rank = ({ kinds }: KeyMoment) =>
    Math.min(...kinds.map((kind) => MOMENT_KINDS.indexOf(kind)));
  return rank(a) - rank(b) || b.decision.loss - a.decision.loss;
}

/** The decision of a seat at a step; that of any seat if it did not decide. */
export function decisionAt(
  decisions: readonly Decision[],
  step: number,
  seat: Seat | null,
): Decision | null {
  const here = decisions.filter((decision) => decision.step === step);
  return here.find((decision) => decision.seat === seat) ?? worstOf(here);
}

function worstOf(decisions: readonly Decision[]): Decision | null {
  return decisions.reduce<Decision | null>(
    (worst, one) => (worst === null || one.loss > worst.loss ? one : worst),
    null,
  );
}

/** The sides of a leg by entrant: A before B. */
export function sidesByEntrant(leg: LegAnalysis): { seat: Seat; side: SideAnalysis }[] {
  const sides = SEATS.flatMap((seat, at) => {
    const side = leg.sides[at];
    return side ? [{ seat, side }] : [];
  });
  return sides.sort((a, b) => a.side.entrant.localeCompare(b.side.entrant));
}

/** The mistakes and blunders as marks for the timeline, at the step where they were decided. */
export function mistakeMarks(
  decisions: readonly Decision[],
  viewer: GameViewer,
  moments: readonly KeyMoment[] = [],
): PlacedMark[] {
  return decisions.flatMap((decision): PlacedMark[] => {
    const { grade, step, round, seat } = decision;
    if (!isMistake(decision)) return [];
    const moment = moments.find((one) => one.decision === decision);
    const text = inBothLanguages((locale) =>
      m.analysis_mark(
        {
          side: viewer.seats[seat].name[locale],
          grade: decisionLabel(decision, moment, locale),
          played: actionText(viewer, decision.played, seat, locale),
          best: actionText(viewer, decision.best, seat, locale),
          loss: formatPercent(decision.loss),
        },
        { locale },
      ),
    );
    const weight = grade === "blunder" ? "loss" : "major";
    return [{ weight, glyph: GRADE_SIGNS[grade], seat, text, step, round }];
  });
}
