// What the engine is asked and what it answers. The engine is crates/wasm; the JSON of frames is
// described in docs/live.md, that of an analysis in docs/analysis.schema.json.

import type { Config, Entrant, LocalizedText, Winner } from "$lib/types";
import type { Question } from "$viewer/game_viewer";
import type { LegFrames, Perspective } from "$viewer/leg_frames";

/**
 * The engine did not answer. `code` is one of the API's codes for a replay (`not-a-replay`,
 * `unknown-game`, `too-long`, `not-playable`, `not-found`), one of the analysis (`no-assessor`,
 * `differs`), `refused` for a move, `panic` (the engine stopped; the next call starts another),
 * `stopped` (by the reader) or `not-loaded`.
 */
export class EngineError extends Error {
  constructor(
    readonly code: string,
    message: string,
    /** The message in both languages, where the engine answered. */
    readonly text: LocalizedText | null = null,
  ) {
    super(message);
  }
}

/** The first place where a replay differs from the rules. */
export interface Difference {
  leg: number | null;
  round: number | null;
  what: LocalizedText;
}

/** What the verification of a replay found. */
export interface Verification {
  game: string;
  rules: string;
  entrants: [string, string];
  legs: number;
  status: "complete" | "interrupted" | "void";
  verdict: { winner: "A" | "B" | null; reason: string } | null;
  verified: true | Difference;
  /** How much was compared; null if something differs. */
  counts: { legs: number; replies: number; hashes: number } | null;
  /** The words of `leitai replay verify`. */
  words: LocalizedText;
}

/** The hashes of all checkpoints, leg by leg, 16 hexadecimal digits each. */
export interface Checkpoints {
  game: string;
  legs: string[][];
}

export interface AnalyzeOptions {
  /** Nodes of every decision; the game's own number if it is left out. */
  budget?: number;
  /** Only this leg, from 1. */
  leg?: number;
  /** Only the decisions of this entrant. */
  entrant?: "A" | "B";
}

export type Grade = "best" | "good" | "inaccuracy" | "mistake" | "blunder";

/** A decision that was judged: `$defs/decision` of docs/analysis.schema.json. */
export interface Decision {
  step: number;
  round: number;
  seat: "first" | "second";
  entrant: "A" | "B";
  played: string;
  best: string;
  before: number;
  after: number;
  loss: number;
  grade: Grade;
  line: string[];
  choices: number;
  only_move: boolean;
  [member: string]: unknown;
}

/** How far an analysis is; `decisions` are those that are new since the last report. */
export interface AnalysisProgress {
  done: number;
  all: number;
  leg: number;
  decisions: Decision[];
}

/** The JSON of `leitai analyze --json` (docs/analysis.schema.json). */
export interface MatchAnalysis {
  format: string;
  game: string;
  budget: number;
  entrants: [string, string];
  legs: { leg: number; decisions: Decision[]; [member: string]: unknown }[];
  /** The words of `leitai analyze`. */
  digest: LocalizedText;
  [member: string]: unknown;
}

/** What a position is worth to a seat, and what it should do. */
export interface SeatAssessment {
  /** The probability to win. */
  win: number;
  line: string[];
  proof?: { result: "win" | "draw" | "loss"; rounds: number };
}

export interface PositionAssessment {
  /** Null for a seat that is not asked. */
  seats: Record<"first" | "second", SeatAssessment | null>;
  /** In a game of turns: the views after each action of the line. */
  views: unknown[];
}

/** A game of the engine. */
export interface EngineGame {
  id: string;
  name: LocalizedText;
  rules: string;
  legs: number;
  config: Config;
  /** Whether players may know everything. */
  open: boolean;
  /** The built-in bots and levels, the weakest first. */
  bots: { name: string; about: LocalizedText }[];
}

/**
 * Where a leg begins to be played on: a moment of a replay (the first `step` recorded steps are
 * kept), or a new match.
 */
export type PlayStart =
  | { file: Blob; leg: number; step: number }
  | { game: string; config?: Config; seed: number; leg: number };

export interface PlayOptions {
  /** The built-in bots of the first and the second seat; null is a person. */
  players: [string | null, string | null];
  /** The replies after the start, as in a replay: what an earlier answer had. */
  replies?: string;
  /** What people choose in this step. An illegal action is refused: EngineError `refused`. */
  actions?: [string | null, string | null];
  /** The most steps that are played now, 64 by default; 0 gets the position alone. */
  limit?: number;
  perspective?: Perspective;
  /** The first step whose frame is wanted: 0, or the step after the last known one. */
  framesFrom?: number;
  /** The seed of the bots' random choices. */
  botSeed?: number;
  /** The names of A and B; null keeps the recorded name. */
  names?: [string | null, string | null];
}

/** A question to a person, as the server asks it, but without a clock. */
export type PlayQuestion = Omit<Question, "left_ms" | "budget_ms">;

/** The leg after the steps that were played. */
export interface PlayAnswer {
  /** The head of the leg, and the frames that were asked for. */
  leg_frames: LegFrames;
  /** All replies after the start. */
  replies: string;
  /** Steps of the leg so far. */
  step: number;
  round: number;
  /** The questions to people, first and second seat. */
  questions: [PlayQuestion | null, PlayQuestion | null];
  is_over: boolean;
}

export interface SaveOptions {
  /** The replies after the start, leg by leg. */
  legs: string[];
  /** A and B; null keeps the recorded one. */
  entrants?: [SavedEntrant | null, SavedEntrant | null];
  /** The number of legs after which the match is over; that of the replay, or of the game. */
  match_legs?: number;
}

export interface SavedEntrant {
  name: string;
  kind: "built-in" | "human" | "program" | "imported";
}

export type { Entrant, Winner };
