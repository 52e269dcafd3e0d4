// The rule that decided a leg or a match, as people read it.

import { type Message, m } from "$lib/messages";
import { parseFaultCode } from "$lib/faults";
import { builtInTitle } from "$lib/levels";
import type { FaultCode } from "$lib/types";
import type { GameViewer } from "./game_viewer";
import type { Entrant, Lang, LegFrames, Outcome, Reason } from "./leg_frames";

/** Reasons of every game. */
const COMMON_REASONS: Record<string, () => string> = {
  "illegal-action": m.reason_illegal_action,
  forfeit: m.reason_forfeit,
};

/** What the side did that lost, in every game. */
const COMMON_LOSSES: Record<string, Message<{ who: string; whose: string }>> = {
  "illegal-action": m.loss_illegal_action,
  forfeit: m.loss_forfeit,
  crashed: m.loss_crashed,
  timeout: m.loss_timeout,
  memory: m.loss_memory,
  output: m.loss_output,
  exited: m.loss_exited,
  compile: m.loss_compile,
  resigned: m.loss_resigned,
};

/** What a fault is called among the losses. */
const FAULTS: Partial<Record<FaultCode, string>> = {
  IA: "illegal-action",
  RE: "crashed",
  TLE: "timeout",
  MLE: "memory",
  OLE: "output",
  EXIT: "exited",
  CE: "compile",
};

const idOf = (reason: string | Reason) => (typeof reason === "string" ? reason : reason.id);

/** The viewer's words fit after "wins"; the server's are for lists. */
export function describeReason(
  viewer: GameViewer | null,
  reason: string | Reason | null | undefined,
  lang: Lang,
): string {
  if (!reason) return "";
  const id = idOf(reason);
  const known = viewer?.reasons?.[id]?.[lang] ?? COMMON_REASONS[id]?.();
  return known ?? (typeof reason === "string" ? reason : reason[lang]);
}

/** The end of a leg or a match, and who reads of it. */
export interface EndToTell {
  winner: Entrant;
  reason: string | Reason | null | undefined;
  names: Record<Entrant, string>;
  /** The side that the reader played, or whose bot played; null for others. */
  own: Entrant | null;
  /** Whether a bot of the reader played, not the reader. */
  ownIsBot: boolean;
  /** The difference of the scores. */
  margin: number;
  /** The round of the end, if the match had one leg. */
  round: number | null;
  /** Why the loser forfeited, in either of the names of faults. */
  fault?: string | null | undefined;
  /** Whether a person lost: a person who is gone has resigned. */
  loserIsPerson?: boolean;
}

/** Who won and why, told to whoever reads it: "You lost: you ran into a wall (round 9)". */
export function describeEnd(
  viewer: GameViewer | null,
  end: EndToTell,
  lang: Lang,
): { title: string; why: string } {
  const reason = describeReason(viewer, end.reason, lang);
  const id = lossId(end);
  const head = headOf(end);
  const loss = viewer?.losses?.[id] ?? COMMON_LOSSES[id];
  if (loss) {
    const title = m.end_because({ head, why: loss(loserOf(end), { locale: lang }) });
    const { round } = end;
    return { title: round === null ? title : m.end_in_round({ text: title, round }), why: "" };
  }
  const margin = end.margin > 0 ? viewer?.describeMargin?.(id, end.margin, lang) : null;
  const hasLost = end.own !== null && end.own !== end.winner;
  const other = m.end_won({ name: builtInTitle(end.names[end.winner]) });
  // A reason is the winner's: who has lost reads whose it is.
  const whose = hasLost && reason !== "" ? m.end_as({ head: other, reason }) : reason;
  if (margin) {
    const by = hasLost ? m.end_behind : m.end_by;
    return { title: by({ head, margin }), why: whose };
  }
  if (reason === "") return { title: head, why: "" };
  const title = hasLost ? m.end_because({ head, why: whose }) : m.end_as({ head, reason });
  return { title, why: "" };
}

/** The fault of the side that lost a leg. */
export function faultOfLoser(leg: LegFrames | null, outcome: Outcome | null): string | null {
  if (!leg || !outcome?.winner) return null;
  const loser = outcome.winner === "first" ? "second" : "first";
  const named = outcome.faults?.[loser === "first" ? 0 : 1];
  return named ?? leg.faults.find(({ entrant }) => entrant === leg.seats[loser])?.code ?? null;
}

/** The reason; of a forfeit, the fault that it was for. */
function lossId({ reason, fault, loserIsPerson = false }: EndToTell): string {
  const named = reason ? idOf(reason) : "";
  const code = named === "forfeit" && fault ? parseFaultCode(fault) : null;
  const id = (code && FAULTS[code]) ?? named;
  return id === "exited" && loserIsPerson ? "resigned" : id;
}

function headOf({ winner, names, own, ownIsBot }: EndToTell): string {
  const name = builtInTitle(names[own ?? winner]);
  if (own === null) return m.end_won({ name });
  if (ownIsBot) return own === winner ? m.end_yours_won({ name }) : m.end_yours_lost({ name });
  return own === winner ? m.end_you_won() : m.end_you_lost();
}

/** Who lost, as the subject of a sentence. */
function loserOf({ winner, names, own, ownIsBot }: EndToTell): { who: string; whose: string } {
  const loser = winner === "a" ? "b" : "a";
  if (own !== loser) return { who: builtInTitle(names[loser]), whose: m.end_its() };
  return ownIsBot
    ? { who: m.end_it(), whose: m.end_its() }
    : { who: m.end_you(), whose: m.end_your() };
}
