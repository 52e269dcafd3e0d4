// What the pages of contests compute.

import { m } from "../paraglide/messages";
import { formatBytes, formatMinute } from "./format";
import type {
  ContestChange,
  ContestEncounter,
  ContestRules,
  ContestStage,
  ContestSummary,
  MatchRules,
} from "./types";

const STATES: Record<ContestSummary["state"], () => string> = {
  announced: m.contest_announced,
  open: m.contest_open,
  running: m.contest_running,
  finished: m.contest_finished,
  annulled: m.contest_annulled,
};

/** The state of a contest in words. */
export function contestStateLabel({ state, paused }: ContestSummary): string {
  const hasEnded = state === "finished" || state === "annulled";
  return paused && !hasEnded ? m.contest_paused() : STATES[state]();
}

/** What a contest asks of entrants, one sentence each. */
export function entryRules({ entry }: ContestRules): string[] {
  const lines: string[] = [];
  if (entry.who.group) lines.push(m.contest_rule_group({ group: entry.who.group }));
  const team = entry["team-size"] ?? 1;
  if (team > 1) lines.push(m.contest_rule_team({ count: team }));
  if (entry.languages?.length)
    lines.push(m.contest_rule_languages({ languages: entry.languages.join(", ") }));
  if (entry["source-size"])
    lines.push(m.contest_rule_size({ size: formatBytes(entry["source-size"]) }));
  if (entry["daily-versions"]) lines.push(m.contest_rule_daily({ count: entry["daily-versions"] }));
  if (entry.candidates === "required") lines.push(m.contest_rule_tested());
  if (entry.candidates === "forbidden") lines.push(m.contest_rule_untested());
  return lines;
}

/** Clocks and handicaps of a contest, one sentence each; those of the game are not repeated. */
export function matchRules({ matches }: ContestRules): string[] {
  if (!matches) return [];
  const lines: string[] = [];
  const { "bank-ms": bank, "increment-ms": increment, "grace-ms": grace } = matches;
  if (matches["time-limit-ms"])
    lines.push(m.contest_clock_turn({ time: formatLimit(matches["time-limit-ms"]) }));
  if (bank && increment)
    lines.push(
      m.contest_clock_bank_increment({
        bank: formatLimit(bank),
        increment: formatLimit(increment),
      }),
    );
  else if (bank) lines.push(m.contest_clock_bank({ bank: formatLimit(bank) }));
  if (grace)
    lines.push(m.contest_clock_grace({ grace: formatLimit(grace), strikes: matches.strikes ?? 0 }));
  if (matches.keeps) lines.push(m.contest_keeps());
  return [...lines, ...(matches.handicaps ?? []).map(describeHandicap)];
}

function describeHandicap(own: NonNullable<MatchRules["handicaps"]>[number]): string {
  const [names, languages] = [own.accounts.join(", "), own.languages.join(", ")];
  const time = own["time-limit-ms"];
  const limits = [
    ...(time ? [m.contest_handicap_time({ time: formatLimit(time) })] : []),
    ...(own.memory
      ? [m.contest_handicap_memory({ size: formatBytes(own.memory).replace(".0 ", " ") })]
      : []),
  ];
  const who =
    names && languages
      ? m.contest_handicap_both({ names, languages })
      : names
        ? m.contest_handicap_bots({ names })
        : m.contest_handicap_languages({ languages });
  return m.contest_handicap({ who, limits: limits.join(m.contest_handicap_join()) });
}

/** `20 ms`, `1.5 s`, `10 min` */
function formatLimit(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  return ms < 60_000 || ms % 60_000 !== 0 ? `${ms / 1000} s` : `${ms / 60_000} min`;
}

/** What the names of a stage's rounds follow from: its format, and the number of its players. */
export interface Bracket {
  format: string;
  players: number;
}

/** The bracket of a stage; undefined while its standings are hidden. */
export function bracketOf(
  { number, standings }: ContestStage,
  { stages }: ContestRules,
): Bracket | undefined {
  const format = stages[number - 1]?.format.kind;
  return format && standings ? { format, players: standings.length } : undefined;
}

/** The round of an encounter's place, such as `r3.0`, in words. */
export function roundLabel(place: string, bracket?: Bracket): string {
  const [round = ""] = place.split(".");
  const number = round.slice(1);
  if (bracket?.format === "single" && round.startsWith("w"))
    return knockoutLabel(2 ** (Math.ceil(Math.log2(bracket.players)) - Number(number) + 1));
  if (round === "final") return m.contest_final();
  if (round === "decider") return m.contest_decider();
  if (round.startsWith("w")) return m.contest_winners({ number });
  if (round.startsWith("l")) return m.contest_losers({ number });
  return m.contest_round({ number });
}

/** A round of a knockout with so many places left. */
function knockoutLabel(left: number): string {
  if (left <= 2) return m.contest_final();
  if (left === 4) return m.contest_semifinals();
  if (left === 8) return m.contest_quarterfinals();
  return m.contest_round_of({ count: left });
}

/** Encounters by round, in the order in which the rounds are played. */
export function groupByRound(
  encounters: ContestEncounter[],
  bracket?: Bracket,
): [string, ContestEncounter[]][] {
  const rounds = new Map<string, ContestEncounter[]>();
  for (const one of encounters) {
    const label = roundLabel(one.place, bracket);
    rounds.set(label, [...(rounds.get(label) ?? []), one]);
  }
  return [...rounds];
}

/** The time until a moment, in words; empty if it has come. */
export function formatCountdown(at: number, now: number): string {
  const minutes = Math.floor((at - now) / 60_000);
  if (minutes < 0) return "";
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (days === 0)
    return m.contest_in({ time: m.contest_minutes({ hours, minutes: minutes % 60 }) });
  const rest = hours % 24;
  const time = rest > 0 ? m.contest_days({ days, hours: rest }) : m.contest_days_only({ days });
  return m.contest_in({ time });
}

const ACTIONS: Record<string, () => string> = {
  publish: m.contest_change_publish,
  update: m.contest_change_update,
  freeze: m.contest_change_freeze,
  pause: m.contest_change_pause,
  resume: m.contest_change_resume,
  disqualify: m.contest_change_disqualify,
  finish: m.contest_change_finish,
  annul: m.contest_change_annul,
};

/** A change of a contest in one sentence: what, and why. */
export function describeChange({ action, detail }: ContestChange): string {
  const what =
    action === "replay-match"
      ? m.contest_change_replay({ match: detail.match ?? 0 })
      : action === "take-back-stage"
        ? m.contest_change_take_back({ stage: detail.stage ?? 0 })
        : (ACTIONS[action]?.() ?? action);
  const moment = (second: number) => formatMinute(new Date(second * 1000).toISOString());
  const keys = (detail.changes ?? []).map(({ key, from, to }) =>
    from != null && to != null ? `${key}: ${moment(from)} → ${moment(to)}` : key,
  );
  return [what, keys.join("; "), detail.why].filter(Boolean).join(" – ");
}

/** A chance from 0 to 1 in percent; what simulations never or always saw is not called certain. */
export function formatChance(chance: number): string {
  if (chance < 0.005) return "< 1%";
  if (chance > 0.995) return "> 99%";
  return `${Math.round(chance * 100)}%`;
}

/** The places that are still open: `2` or `1–4`. */
export function formatPlaces([best, worst]: number[]): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}
