import { get, post } from "./api";
import { easiest } from "./games.svelte";
import { go } from "./router.svelte";
import { keepSeat } from "./seats";
import type { Entrant, GameFull, Seated } from "./types";

/** Whom a person plays. */
export type Against = { bot: number } | { version: number } | { invite: true };

/** A table that a person wants: where to sit, whom to meet, and a guest's name. */
export type Wish = {
  game: string;
  seat: Entrant | "any";
  against: Against;
  name?: string;
  config?: unknown;
};

/** Opens a table and keeps its seat. */
export async function sitDown(wish: Wish): Promise<Seated> {
  const seated = await post<Seated>("/tables", wish);
  keepSeat(seated.match, seated.token);
  return seated;
}

/** One click to the first move: a table against an easy bot, as the first player. */
export async function playNow(game: string): Promise<void> {
  const { bots } = await get<GameFull>(`/games/${game}`);
  const bot = easiest(bots)?.bot;
  if (bot == null) return go(`/play/${game}`);
  const seated = await sitDown({ game, seat: "a", against: { bot } });
  go(`/matches/${seated.match}`);
}
