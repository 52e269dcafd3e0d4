import { m } from "../paraglide/messages";
import { builtInTitle } from "./levels";
import type { EntrantSummary, MatchKind, MatchState, VersionState } from "./types";

/** Labels of the API's enums. They are functions, because the language may change. */

const KINDS: Record<MatchKind, () => string> = {
  ladder: m.kind_ladder,
  friendly: m.kind_friendly,
  contest: m.kind_contest,
  human: m.kind_human,
  exhibition: m.kind_exhibition,
  experiment: m.kind_experiment,
};

const MATCH_STATES: Record<MatchState, () => string> = {
  waiting: m.state_waiting,
  queued: m.state_queued,
  running: m.state_running,
  finished: m.state_finished,
  void: m.state_void,
  cancelled: m.state_cancelled,
};

const VERSION_STATES: Record<VersionState, () => string> = {
  queued: m.version_queued,
  building: m.version_building,
  checking: m.version_checking,
  ready: m.version_ready,
  failed: m.version_failed,
};

const STEPS: Record<string, () => string> = {
  builds: m.step_builds,
  starts: m.step_starts,
  "first-move": m.step_first_move,
  first: m.step_first,
  second: m.step_second,
  "split-writes": m.step_split_writes,
  "slow-reader": m.step_slow_reader,
  memory: m.step_memory,
  time: m.step_time,
  exits: m.step_exits,
  repeatable: m.step_repeatable,
};

/** The steps of a check, in the order in which they are done. */
export const STEP_ORDER = Object.keys(STEPS);

export const matchKindLabel = (kind: MatchKind): string => KINDS[kind]?.() ?? kind;
export const matchStateLabel = (state: MatchState): string => MATCH_STATES[state]?.() ?? state;
export const versionStateLabel = (state: VersionState): string =>
  VERSION_STATES[state]?.() ?? state;
export const checkStepLabel = (step: string): string => STEPS[step]?.() ?? step;

/** Whether a person plays, and no program that stays on its author's machine. */
export const isPerson = (entrant: Pick<EntrantSummary, "kind" | "home"> | undefined): boolean =>
  entrant?.kind === "person" && !entrant.home;

/** The name of an entrant; deleted bots and accounts have none of their own. */
export function entrantName(entrant: EntrantSummary): string {
  const { built_in, deleted, kind, name, user } = entrant;
  const isGuest = kind === "person" && user === null;
  if (!deleted) return built_in || isGuest ? builtInTitle(name) : name;
  return kind === "bot" ? m.deleted_bot() : m.deleted_account();
}
