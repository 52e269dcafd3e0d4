// Frames of real matches between built-in bots, made by the program `leitai` at the first request.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import type { MatchSummary } from "../../src/lib/types.ts";
import type { Frame, LegFrames, Outcome } from "../../src/viewer/leg_frames.ts";
import { type ApiCall, notFound, numberAt } from "./answers.ts";
import { strongestBuiltIn } from "./bots.ts";
import { findMatch } from "./matches.ts";

/** The part of a replay file that is used here. */
type ReplayFile = {
  rules: string;
  setup: { rounds?: number };
  legs: { outcome: Outcome }[];
};

/** The path of the replay, by game. */
const replays = new Map<string, string>();
const legFrames = new Map<string, LegFrames>();

export function showLegFrames(call: ApiCall): LegFrames {
  const match = findMatch(numberAt(call, 1));
  const leg = Number(call.query.get("leg") ?? 1);
  const perspective = (call.query.get("perspective") ?? "all") as LegFrames["perspective"];
  const key = `${match.game} ${leg} ${perspective}`;
  let found = legFrames.get(key);
  if (!found) legFrames.set(key, (found = makeLegFrames(match, leg, perspective)));
  return { ...found, match, entrants: [match.a.name, match.b.name] };
}

function makeLegFrames(
  { game }: MatchSummary,
  leg: number,
  perspective: LegFrames["perspective"],
): LegFrames {
  const path = recordMatch(game);
  const replay = JSON.parse(readFileSync(path, "utf8")) as ReplayFile;
  const options = ["--leg", String(leg), "--perspective", perspective];
  const lines = runLeitai(["replay", "frames", path, ...options])
    .trim()
    .split("\n");
  const frames = lines.map((line) => JSON.parse(line) as Frame);
  const { rounds } = frames[0]!.view as { rounds?: number };
  return {
    match: null,
    game,
    rules: replay.rules,
    entrants: ["", ""],
    seats: leg % 2 ? { first: "a", second: "b" } : { first: "b", second: "a" },
    leg,
    legs: replay.legs.length,
    rounds: rounds ?? replay.setup.rounds ?? frames.at(-1)!.round,
    setup: replay.setup,
    perspective,
    frames,
    outcome: replay.legs[leg - 1]!.outcome,
    verdict: null,
    faults: [],
    status: "complete",
  };
}

/** Plays a match once, and returns the path of its replay. */
function recordMatch(game: string): string {
  const known = replays.get(game);
  if (known) return known;
  const path = `${mkdtempSync(`${tmpdir()}/leitai-`)}/${game}.json`;
  runLeitai(["match", game, ...strongestBuiltIn(game), "--seed", "7", "--replay", path]);
  replays.set(game, path);
  return path;
}

/** The output of the program. */
function runLeitai(parameters: string[]): string {
  const leitai = process.env.LEITAI;
  if (!leitai) throw notFound("name the program leitai in LEITAI to see frames in the sample data");
  return execFileSync(leitai, parameters, {
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "ignore"],
  }).toString();
}
