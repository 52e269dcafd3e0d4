import type { Words } from "./locale.svelte";

/** The shapes of the API's answers. Times are RFC 3339; `…_us` are microseconds, `…_ms` milliseconds. */

export type Entrant = "a" | "b";
export type Seat = "first" | "second";
export type MatchKind = "ladder" | "friendly" | "people" | "show";
export type MatchState = "waiting" | "queued" | "running" | "finished" | "void" | "cancelled";
export type VersionState = "queued" | "building" | "checking" | "ready" | "failed";

/** A part of a list, the newest or best first, and where the next part begins. */
export type Paged<T> = { items: T[]; next: string | null };

export type Status = {
  version: string;
  games: string[];
  live: MatchBrief[];
  queue: number;
  workers: number;
  isolation: string;
  docs: boolean;
};

export type Game = {
  id: string;
  title: Words;
  about: Words;
  legs: number;
  period_ms: number;
  open: boolean;
  live: number;
  ladder_size: number;
};

export type BuiltIn = { name: string; about: Words; bot: number | null };

/** The choices of a game, by key. */
export type Config = Record<string, unknown>;

/** A key of a game's config that people are offered: a whole number, one of some words, or yes and no. */
export type ConfigChoice = {
  key: string;
  title: Words;
  kind: "number" | "word" | "switch";
  least: number | null;
  most: number | null;
  values: { value: string; title: Words }[];
};

export type GameFull = Game & {
  guide: Words;
  bots: BuiltIn[];
  config: Config;
  ladder_config: Config;
  choices: ConfigChoice[];
};

export type EntrantBrief = {
  kind: "bot" | "person";
  name: string;
  bot: number | null;
  version: number | null;
  user: string | null;
  built_in: boolean;
  deleted: boolean;
};

export type FaultBrief = { entrant: Entrant; code: string; leg?: number; round?: number };

export type MatchBrief = {
  id: number;
  game: string;
  kind: MatchKind;
  state: MatchState;
  a: EntrantBrief;
  b: EntrantBrief;
  winner: Entrant | "draw" | null;
  reason: (Words & { id: string }) | null;
  scores: [number, number][];
  faults: FaultBrief[];
  rating_change: { a: number; b: number } | null;
  created: string;
  started: string | null;
  finished: string | null;
  legs: number;
  leg: number | null;
  round: number | null;
  rounds: number | null;
};

export type MatchFull = MatchBrief & {
  seed: number | string | null;
  your: Entrant | null;
  files: { replay: string | null; replay_removed: string | null };
  note: string | null;
  again_of: number | null;
  config: Config;
  corrections: Correction[];
};

/** A result that an administrator corrected; null for one that is withdrawn. */
export type Correction = {
  at: string;
  before: Entrant | "draw" | null;
  after: Entrant | "draw" | null;
  why: string;
};

export type Rating = { value: number; error: number };

export type BotBrief = {
  id: number;
  game: string;
  name: string;
  owner: string | null;
  built_in: boolean;
  deleted: boolean;
};

export type LadderRow = {
  rank: [number, number];
  bot: BotBrief;
  rating: Rating;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  faults: number;
  trend: number[];
};

export type VersionBrief = {
  id: number;
  number: number;
  state: VersionState;
  file_name: string;
  notes: string;
  created: string;
  failure: Words | null;
};

export type Bot = BotBrief & {
  about: string;
  active: number | null;
  retired: boolean;
  disabled: boolean;
  rating: Rating | null;
  rank: [number, number] | null;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  faults: number;
  longest_us: number | null;
  versions: VersionBrief[];
  yours: boolean;
};

/** How much an account keeps and may keep; for how many days replays are kept (null: for ever). */
export type Usage = {
  bytes: Amount;
  bots: Amount;
  versions: number;
  versions_of_a_bot: number;
  replays: { show: number | null; ladder: number | null; friendly: number | null; people: number | null };
};
type Amount = { used: number; allowed: number };

export type Opponent = { bot: BotBrief; wins: number; draws: number; losses: number };
export type RatingPoint = { at: string; match: number | null; value: number; error: number };
export type BotFault = {
  match: number;
  code: string;
  leg: number | null;
  round: number | null;
  step: number | null;
  at: string | null;
};

export type Mark = "passed" | "failed" | "warned" | "noted" | "skipped";

export type Finding = {
  step: string;
  mark: Mark;
  seen: Words;
  last_words?: string[];
  next?: Words;
  leg?: { seat: Seat; seed: number; opponent: string };
  command?: string | null;
  must_pass?: boolean;
};

export type Version = VersionBrief & {
  bot: number;
  bytes: number;
  how: string | null;
  dialect: string | null;
  log: string | null;
  waiting: Words | null;
  steps: Finding[];
  source_public: boolean;
  yours: boolean;
};

export type Template = { language: string; file_name: string; code: string };
export type Me = { user: { id: number; name: string; admin: boolean } | null; csrf: string | null };
export type ApiToken = {
  id: number;
  name: string;
  created: string;
  used: string | null;
  scopes: string[];
  until: string | null;
};
export type Seated = { match: number; token: string; seat: Entrant; invite: string | null };
export type InviteFull = { match: MatchBrief; game: string };

export type AdminUser = {
  id: number;
  name: string;
  admin: boolean;
  disabled: boolean;
  created: string;
};
export type Job = {
  id: number;
  kind: string;
  game: string;
  match: number | null;
  version: number | null;
  state: string;
  worker: string | null;
  attempts: number;
  created: string;
  lease_until: string | null;
  note: string | null;
};
export type Worker = {
  name: string;
  seen: string;
  jobs: number;
  slots: number;
  version: string;
  isolation: string;
  remote: boolean;
  refused: number;
};
export type AuditEntry = { id: number; at: string; who: string | null; what: string; about: string };
