// Where the frames of a leg come from: a match on the server, a replay file, or memory.

import { ApiError, get, post } from "$lib/api";
import { explainError } from "$lib/errors";
import type { ListPage, LogEntry, MatchDetails } from "$lib/types";
import type { LegFrames, Perspective, SentLegFrames } from "./leg_frames";

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
  loadLeg(leg: number, perspective: Perspective): Promise<SentLegFrames>;
}

export function framesOfMatch(id: number): FramesSource {
  return {
    loadLeg: (leg, eye) => explainRefusal(get(`/matches/${id}/film`, { leg, eye })),
  };
}

/** The frames of a replay file; the server computes them and stores nothing. */
export function framesOfReplay(file: Blob): FramesSource {
  return { loadLeg: (leg, eye) => explainRefusal(post(`/films?leg=${leg}&eye=${eye}`, file)) };
}

/** One leg from one perspective, already in memory. */
export function framesInMemory({ perspective: eye, ...legFrames }: LegFrames): FramesSource {
  const sent = { ...legFrames, eye };
  return {
    loadLeg: (leg, perspective) =>
      leg === sent.leg && perspective === eye
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
