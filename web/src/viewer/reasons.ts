// The rule that decided a leg or a match, as people read it.

import { m } from "$lib/messages";
import type { GameViewer } from "./game_viewer";
import type { Lang, Reason } from "./leg_frames";

/** Reasons of every game, for frames that contain only the id. */
const COMMON_REASONS: Record<string, () => string> = {
  "illegal-action": m.reason_illegal_action,
  forfeit: m.reason_forfeit,
};

export function describeReason(
  viewer: GameViewer | null,
  reason: string | Reason | null | undefined,
  lang: Lang,
): string {
  if (!reason) return "";
  if (typeof reason !== "string") return reason[lang];
  return viewer?.reasons?.[reason]?.[lang] ?? COMMON_REASONS[reason]?.() ?? reason;
}
