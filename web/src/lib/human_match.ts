import { get, post } from "./api";
import { easiestBot } from "./games.svelte";
import { navigate } from "./router.svelte";
import { saveSeatToken } from "./seat_tokens";
import type { Entrant, GameDetails, JoinedSeat } from "./types";

/** Whom a person plays. */
export type OpponentChoice = { bot: number } | { version: number } | { invite: true };

/** A table that a person wants: where to sit, whom to meet, and a guest's name. */
export type HumanMatchWish = {
  game: string;
  seat: Entrant | "any";
  against: OpponentChoice;
  name?: string;
  config?: unknown;
};

/** Opens a table and keeps its seat. */
export async function openHumanMatch(wish: HumanMatchWish): Promise<JoinedSeat> {
  const seated = await post<JoinedSeat>("/tables", wish);
  saveSeatToken(seated.match, seated.token);
  return seated;
}

/** One click to the first move: a table against an easy bot, as the first player. */
export async function playEasyBot(game: string): Promise<void> {
  const { bots } = await get<GameDetails>(`/games/${game}`);
  const bot = easiestBot(bots)?.bot;
  if (bot == null) return navigate(`/play/${game}`);
  const seated = await openHumanMatch({ game, seat: "a", against: { bot } });
  navigate(`/matches/${seated.match}`);
}
