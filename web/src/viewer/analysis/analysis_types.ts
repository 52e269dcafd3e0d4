// The analysis of a leg as the engine sends it (docs/analysis.schema.json), as far as the page
// shows it.

import type { Grade } from "$lib/engine/types";
import type { LocalizedText } from "$lib/types";
import type { Seat } from "../leg_frames";

export type { Grade };

/** A result that is certain whatever the other side does. */
export interface Proof {
  result: "win" | "draw" | "loss";
  rounds: number;
}

/** The same decision with other knowledge. */
export interface OtherView {
  best: string;
  before: number;
  after: number;
  loss: number;
  proof_before?: Proof;
}

/** One reply of one seat. Probabilities are those of that seat. */
export interface Decision {
  step: number;
  round: number;
  seat: Seat;
  entrant: "A" | "B";
  played: string;
  fault?: string;
  best: string;
  before: number;
  after: number;
  /** How sure both are: standard errors, where the search knows them. */
  spread?: { before: number; after: number };
  loss: number;
  grade: Grade;
  line: string[];
  proof_before?: Proof;
  proof_after?: Proof;
  choices: number;
  only_move: boolean;
  hindsight?: OtherView;
  truth?: OtherView;
}

/** Why a moment is worth a look, the most important reason first. */
export const MOMENT_KINDS = [
  "decisive",
  "forced-loss",
  "last-held",
  "only-move-missed",
  "blunder",
  "mistake",
] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

export interface KeyMoment {
  decision: Decision;
  kinds: MomentKind[];
  /** With `forced-loss`: the leg is lost in so many rounds, whatever the seat does. */
  lostIn: number | null;
}

export type WayOfLosing =
  "fault" | "only-move-missed" | "blunder" | "small-losses" | "unforeseen" | "outplayed";

export interface SideAnalysis {
  entrant: "A" | "B";
  decisions: number;
  accuracy: number | null;
  grades: Record<Grade, number>;
  last_held: number | null;
  forced_loss: { decision: number; round: number; rounds: number } | null;
  only_moves_missed: number[];
  worst: number | null;
  lost: LostLeg | null;
}

/** Why a leg was lost. */
export interface LostLeg {
  way: WayOfLosing;
  phase: string;
  decision: number | null;
  /** The shortest stretch in which most of the value went. */
  slip: { from_round: number; to_round: number; from: number; to: number; steps: number } | null;
  /** The figure of the leg that the side lacked most, by its index. */
  lack: number | null;
}

/** What both seats did in a leg, in one number of the game. */
export interface Figure {
  key: string;
  name: LocalizedText;
  kind: "sum" | "mean";
  /** What to try first for a side that lacks it. */
  advice: LocalizedText;
  /** What a strong bot has against itself, by phase. */
  strong: number[];
  phases: [number[], number[]];
  course: [number[], number[]];
  whole: [number, number];
}

export interface LegAnalysis {
  leg: number;
  rounds: number;
  sides: [SideAnalysis | null, SideAnalysis | null];
  decisions: Decision[];
  figures: Figure[];
}
