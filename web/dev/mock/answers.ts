// Common parts of the mock: a call and its refusal, times, and repeatable random numbers.

import type { ListPage } from "../../src/lib/types.ts";

/** A request of the page. `parts` are the parts of the path after `/api`. */
export type ApiCall = {
  query: URLSearchParams;
  body: Record<string, unknown>;
  parts: string[];
  user: string | null;
};

/** A refusal in the form of the API. */
export class RefusedCall {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly message: string,
    readonly field: string | null = null,
  ) {}
}

export function notFound(message: string): RefusedCall {
  return new RefusedCall(404, "not-found", message);
}

/** The name of the account that calls; refuses guests. */
export function requireUser(user: string | null): string {
  if (user) return user;
  throw new RefusedCall(401, "login", "this needs an account; log in, or send an API token");
}

/** The number in a part of the path. */
export function numberAt(call: ApiCall, part: number): number {
  return Number(call.parts[part]);
}

const NOW = Date.now();

/** The time this many minutes before the mock was started. */
export function minutesAgo(minutes: number): string {
  return new Date(NOW - minutes * 60_000).toISOString();
}

/** Random numbers from 0 to 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A list without pages. */
export function wholeList<T>(items: T[]): ListPage<T> {
  return { items, next: null };
}

/** The page of a list that a query requests, the newest first. */
export function listPage<T extends { id: number }>(
  rows: readonly T[],
  query: URLSearchParams,
): ListPage<T> {
  const before = Number(query.get("before") ?? Infinity);
  const limit = Number(query.get("limit") ?? 25);
  const rest = rows.filter((row) => row.id < before).sort((a, b) => b.id - a.id);
  const items = rest.slice(0, limit);
  return { items, next: rest.length > limit ? String(items.at(-1)?.id) : null };
}
