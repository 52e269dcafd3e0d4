// Signs and words of the analysis.

import { type Message, m } from "$lib/messages";
import type { GameViewer } from "../game_viewer";
import type { Seat } from "../leg_frames";
import type { Lang } from "../leg_frames";
import type { Decision, Grade, KeyMoment, MomentKind, Proof, WayOfLosing } from "./analysis_types";

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

const MOMENT_NAMES: Record<Exclude<MomentKind, "forced-loss">, Message> = {
  decisive: m.analysis_moment_decisive,
  "last-held": m.analysis_moment_last_held,
  "only-move-missed": m.analysis_moment_only_move,
  blunder: m.analysis_blunder,
  mistake: m.analysis_mistake,
};

/** A loss below this is within the noise of the search. */
const NOISE = 0.02;
/** The least losses of the grades, the worst first: docs/analysis.md. */
const LEAST_LOSS: readonly [Grade, number][] = [
  ["blunder", 0.2],
  ["mistake", 0.1],
  ["inaccuracy", 0.05],
  ["good", 0.005],
];

export const gradeOfLoss = (loss: number): Grade =>
  LEAST_LOSS.find(([, least]) => loss >= least)?.[0] ?? "best";

/** Whether nothing better than what was played is known. */
export const isAsGood = ({ fault, loss }: Decision) => fault === undefined && loss < NOISE;

/** Whether a decision gets a red mark. */
export const isMistake = ({ grade }: Decision) => grade === "mistake" || grade === "blunder";

/** What a decision is called, the same everywhere: in the heading, in the list, on the timeline. */
export function decisionLabel(decision: Decision, moment: KeyMoment | undefined, locale: Lang) {
  const kinds = moment?.kinds ?? [];
  const named = (isMistake(decision) ? MISTAKE_KINDS : OTHER_KINDS).find((kind) =>
    kinds.includes(kind),
  );
  if (named === "forced-loss")
    return m.analysis_moment_forced({ rounds: moment?.lostIn ?? 0 }, { locale });
  if (named) return MOMENT_NAMES[named]({}, { locale });
  if (!isAsGood(decision)) return GRADE_NAMES[decision.grade]({}, { locale });
  const isBest = decision.played === decision.best;
  return (isBest ? m.analysis_best : m.analysis_as_good)({}, { locale });
}

/** The reasons that name a mistake, and those that name another decision. */
const MISTAKE_KINDS = ["decisive", "only-move-missed"] as const;
const OTHER_KINDS = ["forced-loss", "last-held"] as const;

/** A probability, and how far nineteen of twenty searches would agree, where that is known. */
export function formatSure(value: number, spread: number | undefined): string {
  const percent = formatPercent(value);
  return spread === undefined ? percent : `${percent} ± ${formatPercent(2 * spread)}`;
}

export const formatPercent = (value: number) => `${Math.round(100 * value)}%`;

/** An action in signs, or in a word where no sign says it; a fault as its code. */
export function actionText(
  viewer: GameViewer | null,
  action: string,
  seat: Seat,
  lang: Lang,
): string {
  if (action.startsWith("!")) return action.slice(1);
  return viewer?.actionSigns?.(action, seat, lang) ?? action;
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
