import { m } from "../paraglide/messages";
import type { GameReport } from "./types";

/** What may be wrong with a game, in the order of the form. */
export const REPORT_REASONS: Record<GameReport["reason"], () => string> = {
  offensive: m.report_reason_offensive,
  copied: m.report_reason_copied,
  harmful: m.report_reason_harmful,
  broken: m.report_reason_broken,
  other: m.report_reason_other,
};
