// A loss that no single decision explains: what the sides did, beside a strong bot.

import type { Seat } from "../leg_frames";
import type { Figure, LegAnalysis, LostLeg, SideAnalysis, WayOfLosing } from "./analysis_types";

const GRADUAL: readonly WayOfLosing[] = ["small-losses", "unforeseen", "outplayed"];

/** A leg that slipped away, seen by the side that lost it. */
export interface GradualLoss {
  side: SideAnalysis;
  lost: LostLeg;
  seat: Seat;
  rows: FigureRow[];
  /** The figure that the side lacked most. */
  lack: Figure | null;
}

export interface FigureRow {
  figure: Figure;
  own: FigureCell;
  other: FigureCell;
  strong: FigureCell;
}

/** A figure over the leg, and by phase. */
export interface FigureCell {
  whole: number;
  phases: number[];
}

/** The sides of a leg whose loss was gradual. */
export function gradualLosses({ sides, figures }: LegAnalysis): GradualLoss[] {
  return sides.flatMap((side, seat) => {
    const lost = side?.lost;
    if (!side || !lost || !GRADUAL.includes(lost.way)) return [];
    const rows = figures.map((figure): FigureRow => {
      const of = (at: 0 | 1) => ({ whole: figure.whole[at], phases: figure.phases[at] });
      const [own, other] = seat === 0 ? [of(0), of(1)] : [of(1), of(0)];
      return { figure, own, other, strong: strongCell(figure) };
    });
    const lack = lost.lack === null ? null : (figures[lost.lack] ?? null);
    return [{ side, lost, seat: seat === 0 ? "first" : "second", rows, lack }];
  });
}

function strongCell({ strong, kind }: Figure): FigureCell {
  const sum = strong.reduce((sum, value) => sum + value, 0);
  return { whole: kind === "sum" ? sum : sum / strong.length, phases: strong };
}

/** `12` or `1.5`: a digit behind the point only where it says something. */
export const formatFigure = (value: number): string =>
  value >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
