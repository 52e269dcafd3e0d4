// Which live match is worth watching most.

import type { MatchSummary } from "./types";

/** The rating of a bot that is on no ladder, and of a person. */
const NEWCOMER = 1500;

/** Ratings by the id of the bot. */
export type Ratings = ReadonlyMap<number, number>;

/** How interesting a match is: strong entrants, and the closer in rating the better. */
export function interestOf({ a, b }: Pick<MatchSummary, "a" | "b">, ratings: Ratings): number {
  const rating = ({ bot }: MatchSummary["a"]) =>
    (bot !== null ? ratings.get(bot) : undefined) ?? NEWCOMER;
  const [one, other] = [rating(a), rating(b)];
  return (one + other) / 2 - Math.abs(one - other);
}
