// The shapes of the API's answers, from the contract that `npm run api` generates out of
// docs/openapi.json. Times are RFC 3339; `…_us` are microseconds, `…_ms` milliseconds.

import type { components } from "./openapi";
import type { FaultCode } from "./faults";

type Schemas = components["schemas"];

/**
 * What the server sends. The generator calls a field optional where it may be null; the server
 * sends it always.
 */
type Sent<T> = { [K in keyof T]-?: Sent<T[K]> };

/** A schema with some of its fields described more exactly than the document does. */
type Refined<T, Fields extends { [K in keyof Fields]: K extends keyof T ? unknown : never }> = Omit<
  Sent<T>,
  keyof Fields
> &
  Fields;

export type Lang = "en" | "zh";
export type LocalizedText = Sent<Schemas["Words"]>;

export type Entrant = Schemas["Side"];
export type Seat = "first" | "second";
export type Winner = Schemas["WinnerWord"];
export type MatchKind = Schemas["MatchKind"];
export type MatchState = Schemas["MatchState"];
export type VersionState = Schemas["VersionState"];

/** A part of a list, the newest or best first, and where the next part begins. */
export type ListPage<T> = { items: T[]; next: string | null };

export type Status = Refined<Schemas["Status"], { live: MatchSummary[] }>;

/** The options of a game, by key. */
export type Config = Record<string, unknown>;
export type ConfigOption = Sent<Schemas["ConfigChoice"]>;
export type BuiltIn = Sent<Schemas["BuiltIn"]>;
export type GameSummary = Sent<Schemas["Game"]>;
export type GameDetails = Refined<
  Schemas["GameFull"],
  { config: Config; ladder_config: Config; choices: ConfigOption[] }
>;
export type Template = Sent<Schemas["Template"]>;

export type EntrantSummary = Sent<Schemas["EntrantBrief"]>;

/** A fault as lists name it; the frames of a leg also say where it happened and what to do. */
export type FaultSummary = {
  entrant: Entrant;
  code: FaultCode;
  seat?: Seat;
  leg?: number | null;
  round?: number;
  step?: number;
  what?: string | LocalizedText;
  hint?: string | LocalizedText;
};

/** The rule that decided. */
export type Reason = LocalizedText & { id: string };

type MatchFields = {
  faults: FaultSummary[];
  reason: Reason | null;
  scores: [number, number][];
};
export type MatchSummary = Refined<Schemas["MatchBrief"], MatchFields>;
export type MatchDetails = Refined<Schemas["MatchFull"], MatchFields & { config: Config }>;
export type Correction = Sent<Schemas["Corrected"]>;
export type InviteSummary = Refined<Schemas["Invited"], { match: MatchSummary }>;
export type JoinedSeat = Refined<Schemas["Seat"], { seat: Entrant }>;
export type LogEntry = Sent<Schemas["Log"]>;

/** The best and the worst rank, with a confidence of 95 %. */
export type RankRange = [best: number, worst: number];
export type Rating = Sent<Schemas["Rating"]>;
export type RatingPoint = Sent<Schemas["RatingPoint"]>;
export type LadderRow = Refined<Schemas["LadderRow"], { rank: RankRange }>;
export type OpponentRecord = Sent<Schemas["Opponent"]>;

export type BotSummary = Sent<Schemas["BotBrief"]>;
export type BotDetails = Refined<
  Schemas["Bot"],
  { rank: RankRange | null; versions: VersionSummary[] }
>;
export type BotFault = Refined<Schemas["BotFault"], { code: FaultCode }>;

type VersionFields = { failure: LocalizedText | null };
export type VersionSummary = Refined<Schemas["VersionBrief"], VersionFields>;
export type VersionDetails = Refined<
  Schemas["Version"],
  VersionFields & { waiting: LocalizedText | null; steps: CheckFinding[] }
>;

export type CheckMark = "passed" | "failed" | "warned" | "noted" | "skipped";

/** What one step of a check found. */
export type CheckFinding = {
  step: string;
  mark: CheckMark;
  seen: LocalizedText;
  last_words?: string[];
  next?: LocalizedText;
  leg?: { seat: Seat; seed: number; opponent: string };
  command?: string | null;
  must_pass?: boolean;
};

export type Me = Sent<Schemas["Me"]>;
export type TokenSummary = Sent<Schemas["TokenBrief"]>;
export type Usage = Sent<Schemas["Usage"]>;

export type AdminUser = Sent<Schemas["AdminUser"]>;
export type Job = Sent<Schemas["Job"]>;
export type Worker = Sent<Schemas["Worker"]>;
export type AuditEntry = Sent<Schemas["AuditLine"]>;
