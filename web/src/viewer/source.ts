// Where films come from: over HTTP by match, from a file that is sent to be filmed, or as they are.

import { ApiError, get, post } from "$lib/api";
import { explained } from "$lib/errors";
import type { Eye, Film, MatchBrief } from "./film";

/** Something a person can read and do something about. */
export class Trouble extends Error {
  constructor(
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const removed = error.code === "replay-removed";
    throw new Trouble(removed ? explained(error) : error.message, error.status);
  }
}

export interface Source {
  film(leg: number, eye: Eye): Promise<Film>;
}

export function match(id: number): Promise<MatchBrief> {
  return asked(get(`/matches/${id}`));
}

export function ofMatch(id: number): Source {
  return { film: (leg, eye) => asked(get(`/matches/${id}/film`, { leg, eye })) };
}

/** A replay file of a reader; the server plays it and keeps nothing. */
export function ofFile(file: Blob): Source {
  return { film: (leg, eye) => asked(post(`/films?leg=${leg}&eye=${eye}`, file)) };
}

/** A film that is already here; other legs and eyes it does not have. */
export function ofFilm(film: Film): Source {
  return {
    film: (leg, eye) =>
      leg === film.leg && eye === film.eye
        ? Promise.resolve(film)
        : Promise.reject(new Trouble("only this leg was given")),
  };
}

export interface LogLine {
  entrant: "a" | "b";
  period: number;
  text: string;
}

export async function logs(id: number, leg: number): Promise<LogLine[]> {
  const answer = await get<LogLine[] | { items: LogLine[] }>(`/matches/${id}/logs`, { leg });
  return Array.isArray(answer) ? answer : answer.items;
}
