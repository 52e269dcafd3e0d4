// Signs and words of the analysis.

import { type Message, m } from "$lib/messages";
import type { GameViewer } from "../game_viewer";
import type { Seat } from "../leg_frames";
import type { Grade, Proof, WayOfLosing } from "./analysis_types";
import type { MomentKind } from "./key_moments";

/** The signs of chess for doubtful moves; empty for good ones. */
export const GRADE_SIGNS: Record<Grade, string> = {
  best: "",
  good: "",
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
};

export const GRADE_NAMES: Record<Grade, Message> = {
  best: m.analysis_best,
  good: m.analysis_good,
  inaccuracy: m.analysis_inaccuracy,
  mistake: m.analysis_mistake,
  blunder: m.analysis_blunder,
};

export const WAY_NAMES: Record<WayOfLosing, Message> = {
  fault: m.analysis_way_fault,
  "only-move-missed": m.analysis_way_only_move,
  blunder: m.analysis_way_blunder,
  "small-losses": m.analysis_way_small,
  unforeseen: m.analysis_way_unforeseen,
  outplayed: m.analysis_way_outplayed,
};

export const MOMENT_NAMES: Record<Exclude<MomentKind, "forced-loss">, Message> = {
  decisive: m.analysis_moment_decisive,
  "last-held": m.analysis_moment_last_held,
  "only-move-missed": m.analysis_moment_only_move,
  blunder: m.analysis_blunder,
  mistake: m.analysis_mistake,
};

export const formatPercent = (value: number) => `${Math.round(100 * value)}%`;

/** An action in signs; a fault as its code. */
export function actionText(viewer: GameViewer | null, action: string, seat: Seat): string {
  if (action.startsWith("!")) return action.slice(1);
  return viewer?.actionSigns?.(action, seat) ?? action;
}

/** "won in 3 rounds", and the like. */
export function proofText({ result, rounds }: Proof): string {
  switch (result) {
    case "win":
      return m.analysis_proof_win({ rounds });
    case "loss":
      return m.analysis_proof_loss({ rounds });
    case "draw":
      return m.analysis_proof_draw({ rounds });
  }
}
