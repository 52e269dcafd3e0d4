import { get, post } from "./api";
import { easiestBot } from "./games.svelte";
import { navigate } from "./router.svelte";
import { saveSeatToken } from "./seat_tokens";
import type { Entrant, GameDetails, JoinedSeat } from "./types";

/** The opponent that a person chooses. */
export type OpponentChoice = { bot: number } | { version: number } | { invite: true };

/** A human match to be created: the seat, the opponent, and a guest's name. */
export type HumanMatchWish = {
  game: string;
  seat: Entrant | "any";
  against: OpponentChoice;
  name?: string;
  config?: unknown;
};

/** Creates a human match and stores the token of the seat. */
export async function openHumanMatch(wish: HumanMatchWish): Promise<JoinedSeat> {
  const seated = await post<JoinedSeat>("/tables", wish);
  saveSeatToken(seated.match, seated.token);
  return seated;
}

/** Creates a human match against an easy bot and opens it. */
export async function playEasyBot(game: string): Promise<void> {
  const { bots } = await get<GameDetails>(`/games/${game}`);
  const bot = easiestBot(bots)?.bot;
  if (bot == null) return navigate(`/play/${game}`);
  const seated = await openHumanMatch({ game, seat: "a", against: { bot } });
  navigate(`/matches/${seated.match}`);
}
