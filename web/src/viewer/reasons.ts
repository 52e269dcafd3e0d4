// The rule that decided a leg or a match, as people read it.

import { m } from "$lib/messages";
import type { GameViewer } from "./game_viewer";
import type { Lang, Reason } from "./leg_frames";

/** Reasons of every game. */
const COMMON_REASONS: Record<string, () => string> = {
  "illegal-action": m.reason_illegal_action,
  forfeit: m.reason_forfeit,
};

/** The viewer's words fit after "wins"; the server's are for lists. */
export function describeReason(
  viewer: GameViewer | null,
  reason: string | Reason | null | undefined,
  lang: Lang,
): string {
  if (!reason) return "";
  const id = typeof reason === "string" ? reason : reason.id;
  const known = viewer?.reasons?.[id]?.[lang] ?? COMMON_REASONS[id]?.();
  return known ?? (typeof reason === "string" ? reason : reason[lang]);
}
