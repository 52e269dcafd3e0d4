// Sources of the frames of a leg: a match on the server, a replay file, or memory. The frames of a
// match come from the server, those of a file from the engine in the page. Each stands in for the
// other; an engine that is loaded already serves matches, too.

import { ApiError, get, getFile, post } from "$lib/api";
import { isEngineInUse } from "$lib/engine/in_use";
import type { EngineError } from "$lib/engine/types";
import { asSentence, explainError } from "$lib/errors";
import type { ListPage, LogEntry, MatchDetails, MatchSummary } from "$lib/types";
import type { LegFrames, Perspective } from "./leg_frames";
import { decompressReplay } from "./replay_file";

/** An error whose message is meant for the reader. */
export class LoadError extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

export interface FramesSource {
  loadLeg(leg: number, perspective: Perspective): Promise<LegFrames>;
  /** The first frame of a leg, which is there sooner than all of them. */
  loadOpening?: (leg: number, perspective: Perspective) => Promise<LegFrames>;
  /** The replay, decompressed; missing where only frames are known. */
  loadReplay?: () => Promise<Blob>;
  /** The logs of a replay file, which belong to whoever has the file. */
  loadLogs?: (leg: number) => Promise<LogEntry[]>;
}

/** The frames of a match once it is finished; `current` is what is known of it then. */
export function framesOfMatch(id: number, current: () => MatchSummary | null): FramesSource {
  let replay: Promise<Blob> | null = null;
  const loadReplay = () => {
    replay ??= getFile(`/matches/${id}/replay`);
    replay.catch(() => (replay = null));
    return replay;
  };
  return {
    loadReplay,
    loadOpening: (leg, perspective) =>
      get(`/matches/${id}/frames`, { leg, perspective, frames: 1 }),
    loadLeg: (leg, perspective) => {
      const askServer = () => get<LegFrames>(`/matches/${id}/frames`, { leg, perspective });
      if (!isEngineInUse()) return explainRefusal(askServer());
      return withEngine(
        async (engine) => engine.frames(await loadReplay(), leg, perspective, current()),
        askServer,
      );
    },
  };
}

/** The frames of a replay file; where the server makes them, it stores nothing. */
export function framesOfReplay(file: Blob): FramesSource {
  const replay = decompressReplay(file);
  return {
    loadReplay: () => replay,
    loadLeg: (leg, perspective) =>
      withEngine(
        async (engine) => engine.frames(await replay, leg, perspective),
        async (why) => {
          const path = `/replays/frames?leg=${leg}&perspective=${perspective}`;
          const byServer = why === "too-slow" ? "slow" : "engineless";
          return { ...(await post<LegFrames>(path, await replay)), byServer };
        },
      ),
    loadLogs: async (leg) => (await import("./remarks/file_logs")).readFileLogs(await replay, leg),
  };
}

/** A replay file whose frames are known: the engine does not know its game. */
export function framesBeside(file: Blob, known: readonly LegFrames[]): FramesSource {
  const replay = decompressReplay(file);
  return {
    loadReplay: () => replay,
    loadLeg: (leg, perspective) => {
      const found = known.find((one) => one.leg === leg && one.perspective === perspective);
      return found ? Promise.resolve(found) : Promise.reject(new LoadError("there is no such leg"));
    },
  };
}

type Engine = import("$lib/engine/client").Engine;

/**
 * What the engine says of a replay, and the server would say, too. The server may have a game that
 * the engine has not.
 */
const REFUSALS = ["not-a-replay", "too-long", "not-playable", "not-found"];

/** Asks the engine; where there is none, or it fails, the server, which is told by what code. */
async function withEngine<T>(
  ask: (engine: Engine) => Promise<T>,
  askServer: (why?: string) => Promise<T>,
): Promise<T> {
  const engine = await loadEngine();
  if (!engine) return explainRefusal(askServer());
  try {
    return await ask(engine);
  } catch (error) {
    const { code, message } = error as EngineError;
    if (!REFUSALS.includes(code)) return explainRefusal(askServer(code));
    throw new LoadError(asSentence(message), code === "not-found" ? 404 : 422);
  }
}

/** The engine of this page; null if it has none, or it cannot be loaded. */
export async function loadEngine(): Promise<Engine | null> {
  try {
    return (await import("$lib/engine/client")).openEngine();
  } catch {
    return null; // The file is gone: the server was updated since this page was opened.
  }
}

/** One leg from one perspective, already in memory. */
export function framesInMemory(sent: LegFrames): FramesSource {
  return {
    loadLeg: (leg, perspective) =>
      leg === sent.leg && perspective === sent.perspective
        ? Promise.resolve(sent)
        : Promise.reject(new LoadError("only this leg was given")),
  };
}

export function fetchMatch(id: number): Promise<MatchDetails> {
  return explainRefusal(get(`/matches/${id}`));
}

export async function fetchLogs(id: number, leg: number): Promise<LogEntry[]> {
  const answer = await get<LogEntry[] | ListPage<LogEntry>>(`/matches/${id}/logs`, { leg });
  return Array.isArray(answer) ? answer : answer.items;
}

async function explainRefusal<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ApiError ? new LoadError(explainError(error), error.status) : error;
  }
}
