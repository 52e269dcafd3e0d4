// The shapes of the API's responses, from the types that `npm run api` generates from
// docs/openapi.json. Times are RFC 3339; `…_us` are microseconds, `…_ms` milliseconds.

import type { components } from "./openapi";

type Schemas = components["schemas"];

/**
 * What the server sends. The generator calls a field optional where it may be null; the server
 * sends it always.
 */
type Sent<T> = { [K in keyof T]-?: Sent<T[K]> };

/** A schema with some of its fields described more exactly than in the document. */
type Refined<T, Fields extends { [K in keyof Fields]: K extends keyof T ? unknown : never }> = Omit<
  Sent<T>,
  keyof Fields
> &
  Fields;

export type Lang = "en" | "zh";
/** A fault in the API. */
export type FaultCode = "IA" | "PE" | "RE" | "TLE" | "MLE" | "OLE" | "EXIT" | "CE";
export type LocalizedText = Sent<Schemas["LocalizedText"]>;

export type Entrant = Schemas["SideName"];
export type Seat = "first" | "second";
export type Winner = Schemas["WinnerName"];
export type MatchKind = Schemas["MatchKindName"];
export type MatchState = Schemas["MatchStateName"];
export type VersionState = Schemas["VersionStateName"];

/** A page of a list, the newest or best first, and the cursor of the next page. */
export type ListPage<T> = { items: T[]; next: string | null };

export type GameSave = Schemas["GameSave"];
export type Status = Refined<
  Schemas["ArenaStatus"],
  { live: MatchSummary[]; quiet: LocalizedText | null }
>;

/** The options of a game, by key. */
export type Config = Record<string, unknown>;
export type ConfigOption = Sent<Schemas["ConfigOptionSummary"]>;
export type BuiltIn = Sent<Schemas["BuiltInBotSummary"]>;
export type GameSummary = Sent<Schemas["GameSummary"]>;
export type GameDetails = Refined<
  Schemas["GameDetails"],
  {
    config: Config;
    ladder_config: Config;
    ladders: LadderDetails[];
    config_options: ConfigOption[];
  }
>;
export type LadderSummary = Sent<Schemas["LadderSummary"]>;
export type LadderDetails = Refined<Schemas["LadderDetails"], { configs: Config[] }>;
export type Template = Sent<Schemas["TemplateSummary"]>;

export type ExperimentState = Schemas["ExperimentStateName"];
export type ExperimentSummary = Refined<
  Schemas["ExperimentSummary"],
  { note: LocalizedText | null; benchmark: BenchmarkSummary | null }
>;
export type BenchmarkSummary = Refined<
  Schemas["BenchmarkSummary"],
  { rating_interval: [number, number] | null }
>;
export type ExperimentDetails = Refined<
  Schemas["ExperimentDetails"],
  {
    note: LocalizedText | null;
    benchmark: BenchmarkSummary | null;
    result: { llr: number; llr_bounds: [number, number] };
    /** Lines of a label and a value. */
    lines: Record<Lang, [string, string][]>;
    way: [number, number][];
  }
>;
export type LaneAnswer = Sent<Schemas["LaneAnswer"]>;
export type PayoffCell = Refined<Schemas["PayoffCell"], { interval: [number, number] }>;
export type PayoffSummary = Refined<Schemas["PayoffSummary"], { cells: (PayoffCell | null)[][] }>;
export type PayoffLines = Refined<
  Schemas["PayoffLines"],
  { lines: Refined<Schemas["PayoffLine"], { cell: PayoffCell }>[] }
>;
export type PinSummary = Sent<Schemas["PinSummary"]>;

export type EntrantSummary = Sent<Schemas["EntrantSummary"]>;

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
export type MatchSummary = Refined<Schemas["MatchSummary"], MatchFields>;
export type MatchDetails = Refined<
  Schemas["MatchDetails"],
  MatchFields & { config: Config; waiting: LocalizedText | null }
>;
export type Correction = Sent<Schemas["CorrectionSummary"]>;
export type InviteSummary = Refined<Schemas["InviteSummary"], { match: MatchSummary }>;
export type Phrase = Schemas["Phrase"];
export type Rematch = Refined<
  Schemas["RematchSummary"],
  { seat: Entrant | null; joined: JoinedSeat | null }
>;
export type JoinedSeat = Refined<Schemas["JoinedSeat"], { seat: Entrant }>;
/** A program that is offered from its author's machine. */
export type HomeBot = Sent<Schemas["HomeBotSummary"]>;
export type HomeLadder = Sent<Schemas["HomeLadder"]>;
/** A table in the lobby, at which a person waits. */
export type OpenTable = Refined<Schemas["OpenTableSummary"], { config: Config; free: Entrant }>;
/** A human match to be created: the seat, the opponent, and a guest's name. */
export type HumanMatchRequest = Omit<Schemas["HumanMatchRequest"], "config"> & {
  config?: Config | undefined;
};
export type OpponentChoice = Schemas["OpponentChoice"];
export type LogEntry = Sent<Schemas["LogEntry"]>;

/** The best and the worst rank, with a confidence of 95 %. */
export type RankRange = [best: number, worst: number];
export type RatingPoint = Sent<Schemas["RatingPointSummary"]>;
export type LadderRow = Refined<Schemas["LadderRowSummary"], { rank: RankRange }>;
export type OpponentRecord = Sent<Schemas["OpponentSummary"]>;

export type BotSummary = Sent<Schemas["BotSummary"]>;
export type PersonRating = Sent<Schemas["PersonRating"]>;
export type MatchRating = Sent<Schemas["MatchRating"]>;
export type Profile = Refined<Schemas["Profile"], { bots: BotDetails[] }>;
export type BotDetails = Refined<
  Schemas["BotDetails"],
  { rank: RankRange | null; versions: VersionSummary[]; ladders: BotLadder[] }
>;
/** A bot on a further ladder of its game. */
export type BotLadder = Refined<Schemas["BotLadder"], { rank: RankRange | null }>;
export type BotFault = Refined<Schemas["BotFault"], { code: FaultCode }>;

type VersionFields = { failure: LocalizedText | null };
export type VersionSummary = Refined<Schemas["VersionSummary"], VersionFields>;
export type VersionDetails = Refined<
  Schemas["VersionDetails"],
  VersionFields & {
    waiting: LocalizedText | null;
    steps: CheckFinding[];
    situations: SituationResult[];
  }
>;

/** What a version answered in the moments of one source. */
export type PackSummary = Refined<Schemas["PackSummary"], { name: LocalizedText }>;
export type SituationResult = Refined<
  Schemas["SituationResult"],
  { name: LocalizedText | null; moments: SituationMoment[] }
>;

/** An answer in a situation; of a moment whose replay is gone nothing but the verdict is left. */
export type SituationMoment = {
  verdict: "gone" | "still-made" | "failed" | "unknown";
  answers: string[];
  category?: string;
  leg?: number;
  round?: number;
  played?: string[];
  passes?: string[][];
  why?: string;
  match?: number;
  pin?: number;
};

export type CheckMark = "passed" | "failed" | "warned" | "noted" | "skipped";

/** The result of one step of a check. */
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

/** What a player has reached, and the result of a daily challenge. */
export type Achievements = Sent<Schemas["Achievements"]>;
export type DailyResult = Sent<Schemas["DailyResult"]>;
/** The challenge of the day. */
export type DailyChallenge = Refined<Schemas["DailyChallenge"], { seat: Entrant }>;
/** What happened to an author's bots since the last visit. */
export type AuthorHome = Omit<Sent<Schemas["AuthorHome"]>, "bots"> & { bots: BotNews[] };
export type BotNews = Refined<
  Schemas["BotNews"],
  {
    faults: Refined<Schemas["CountedFault"], { code: FaultCode }>[];
    ways: Refined<Schemas["WayLost"], { reason: Reason }>[];
    queue: Refined<Schemas["QueuedWork"], { waiting: LocalizedText | null }>[];
  }
>;

export type SearchResult = Refined<Schemas["SearchResult"], { match: MatchSummary | null }>;

export type SecondFactor = Sent<Schemas["SecondFactor"]>;
export type FactorSecret = Sent<Schemas["FactorSecret"]>;
export type RecoveryCodes = Sent<Schemas["RecoveryCodes"]>;
export type Me = Sent<Schemas["Me"]>;
export type TokenSummary = Sent<Schemas["TokenSummary"]>;
export type Session = Sent<Schemas["Session"]>;
export type MailSettings = Sent<Schemas["MailSettings"]>;
export type SignInProvider = Sent<Schemas["ProviderSummary"]>;
export type Newcomer = Sent<Schemas["NewcomerSummary"]>;
export type Identity = Sent<Schemas["IdentitySummary"]>;
export type WebhookEvent = Schemas["WebhookEvent"];
export type Webhook = Sent<Schemas["WebhookSummary"]>;
export type WebhookDelivery = Sent<Schemas["DeliverySummary"]>;
export type Usage = Sent<Schemas["Usage"]>;
/** What is wrong with a list or a file: where, and what to do about it. */
export type LineProblem = { part?: string; line: number | null; en: string; zh: string };
export type GroupSummary = Sent<Schemas["GroupSummary"]>;
export type GroupDetails = Sent<Schemas["GroupDetails"]>;
export type GroupMember = Sent<Schemas["GroupMemberSummary"]>;
export type MemberListResult = Sent<Schemas["MemberListResult"]>;
export type Invitation = Sent<Schemas["Invitation"]>;
export type InvitedAccount = Sent<Schemas["InvitedAccount"]>;
export type GroupQuota = Sent<Schemas["GroupQuotaDetails"]>;
export type IssuedPassword = Sent<Schemas["IssuedPassword"]>;
export type Team = Sent<Schemas["TeamDetails"]>;

export type ContestSummary = Sent<Schemas["ContestSummary"]>;
export type ContestStage = Sent<Schemas["StageSummary"]>;
export type ContestEncounter = Sent<Schemas["EncounterSummary"]>;
/** When something is shown to everybody; `second` counts from 1970. */
export type Visibility = { kind: "always" } | { kind: "end" } | { kind: "from"; second: number };
/** What the page reads of the rules of a contest's file; dates are seconds since 1970. */
/** How the matches of a contest are played; what is absent is as everywhere in the arena. */
export type MatchRules = {
  "time-limit-ms"?: number | null;
  "bank-ms"?: number;
  "increment-ms"?: number;
  "grace-ms"?: number;
  strikes?: number;
  keeps?: boolean;
  handicaps?: {
    accounts: string[];
    languages: string[];
    "time-limit-ms": number | null;
    memory: number | null;
  }[];
};
export type ContestRules = {
  text: LocalizedText;
  prizes: LocalizedText;
  entry: {
    who: { kind: string; group?: string };
    "team-size"?: number;
    languages?: string[];
    "source-size"?: number | null;
    "daily-versions"?: number | null;
    candidates?: "required" | "forbidden" | null;
  };
  matches?: MatchRules;
  replays: Visibility;
  stages: { name: LocalizedText; starts: number | null; format: { kind: string } }[];
};
/** What was done to a contest, with what is particular to it. */
export type ContestChange = Refined<
  Schemas["ChangeSummary"],
  {
    detail: {
      why?: string | null;
      match?: number;
      stage?: number;
      changes?: { key: string; from?: number; to?: number }[];
    };
  }
>;
export type ContestDetails = Refined<
  Schemas["ContestDetails"],
  { rules: ContestRules; changes: ContestChange[] }
>;
/** What bots are built with. */
export type BuildSupplies = Schemas["BuildSupplies"];

export type SimilarList = Refined<
  Schemas["SimilarList"],
  { pairs: Refined<Schemas["SimilarPairSummary"], SimilarPairFields>[] }
>;
export type SimilarPair = Refined<
  Schemas["SimilarPairDetails"],
  {
    sides: [Schemas["SimilarSide"], Schemas["SimilarSide"]];
    parts: [number, number];
    regions: { lines: [Schemas["SimilarLines"], Schemas["SimilarLines"]]; tokens: number }[];
  }
>;
type SimilarPairFields = {
  entries: [Schemas["SimilarEntry"], Schemas["SimilarEntry"]];
  parts: [number, number];
};
/** A problem of a contest's file, or of a part of a game file. */
export type FileProblem = {
  part?: string;
  line: number | null;
  what: LocalizedText;
  cure: LocalizedText;
};
/** A version of a game that an administrator brought. */
export type GameFile = Refined<
  Schemas["GameFileSummary"],
  {
    state: "checking" | "refused" | "published" | "retired";
    said: {
      problems?: FileProblem[];
      cases?: number;
      golden?: number;
      preview?: { steps: number } | null;
      /** Of a game that a judge program leads. */
      judge_program?: boolean;
      /** Whether its matches are the same when they are played again; null: none was played. */
      repeatable?: boolean | null;
      /** Why it was taken down. */
      why?: string;
    } | null;
  }
>;

/** Something that the reader is told, and the list of it. */
export type Notification = Sent<Schemas["Notification"]>;
export type NotificationList = Sent<Schemas["NotificationList"]>;
export type FollowList = Sent<Schemas["FollowList"]>;

export type GameReport = Sent<Schemas["GameReport"]>;
export type AdminUser = Sent<Schemas["AdminUser"]>;
export type Job = Sent<Schemas["JobSummary"]>;
export type Recount = Sent<Schemas["Recount"]>;
export type Worker = Sent<Schemas["WorkerSummary"]>;
export type AuditEntry = Sent<Schemas["AuditLine"]>;
