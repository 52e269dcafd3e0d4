import { get, post } from "./api";
import { easiestBot } from "./games.svelte";
import { navigate } from "./router.svelte";
import { saveSeatToken } from "./seat_tokens";
import type { GameDetails, HumanMatchRequest, JoinedSeat } from "./types";

/** Creates a human match and stores the token of the seat. */
export async function createHumanMatch(request: HumanMatchRequest): Promise<JoinedSeat> {
  const joined = await post<JoinedSeat>("/human-matches", request);
  saveSeatToken(joined.match, joined.token);
  return joined;
}

/** Creates a human match against an easy bot and opens it. */
export async function playEasyBot(game: string): Promise<void> {
  const { bots } = await get<GameDetails>(`/games/${game}`);
  const bot = easiestBot(bots)?.bot;
  if (bot == null) return navigate(`/play/${game}`);
  const joined = await createHumanMatch({ game, seat: "a", opponent: { bot } });
  navigate(`/matches/${joined.match}`);
}
