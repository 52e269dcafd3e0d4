// Where films come from: over HTTP by match, from a file that is sent to be filmed, or as they are.

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

async function json<T>(url: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { headers: { accept: "application/json" }, ...init });
  } catch {
    throw new Trouble("the server does not answer");
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const message = (body as { error?: { message?: string } } | null)?.error?.message;
  throw new Trouble(message ?? `${response.status} ${response.statusText}`, response.status);
}

export interface Source {
  film(leg: number, eye: Eye): Promise<Film>;
}

export function match(id: number): Promise<MatchBrief> {
  return json(`/api/matches/${id}`);
}

export function ofMatch(id: number): Source {
  return { film: (leg, eye) => json(`/api/matches/${id}/film?leg=${leg}&eye=${eye}`) };
}

/** A replay file of a reader; the server plays it and keeps nothing. */
export function ofFile(file: Blob): Source {
  return {
    film: (leg, eye) => json(`/api/films?leg=${leg}&eye=${eye}`, { method: "POST", body: file }),
  };
}

/** A film that is already here; other legs and eyes it does not have. */
export function ofFilm(film: Film): Source {
  return {
    film: (leg, eye) =>
      leg === film.leg && eye === film.eye ? Promise.resolve(film) : Promise.reject(new Trouble("only this leg was given")),
  };
}

export interface LogLine {
  entrant: "a" | "b";
  period: number;
  text: string;
}

export async function logs(id: number, leg: number): Promise<LogLine[]> {
  const answer = await json<LogLine[] | { items: LogLine[] }>(`/api/matches/${id}/logs?leg=${leg}`);
  return Array.isArray(answer) ? answer : answer.items;
}
