// Sources of the frames of a leg: a match on the server, a replay file, or memory.

import { ApiError, get, post } from "$lib/api";
import { explainError } from "$lib/errors";
import type { ListPage, LogEntry, MatchDetails } from "$lib/types";
import type { LegFrames, Perspective } from "./leg_frames";

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
}

export function framesOfMatch(id: number): FramesSource {
  return {
    loadLeg: (leg, perspective) =>
      explainRefusal(get(`/matches/${id}/frames`, { leg, perspective })),
  };
}

/** The frames of a replay file; the server computes them and stores nothing. */
export function framesOfReplay(file: Blob): FramesSource {
  return {
    loadLeg: (leg, perspective) =>
      explainRefusal(post(`/replays/frames?leg=${leg}&perspective=${perspective}`, file)),
  };
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
