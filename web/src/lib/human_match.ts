import { post } from "./api";
import { easiestBot, loadGame } from "./games.svelte";
import { chosenLevel, levelsOf, rememberLevel, shortConfig } from "./levels";
import { navigate } from "./router.svelte";
import { saveSeat } from "./seat_tokens";
import type { HumanMatchRequest, JoinedSeat, OpponentChoice } from "./types";

/** Creates a human match and stores the token of the seat. */
export async function createHumanMatch(request: HumanMatchRequest): Promise<JoinedSeat> {
  const joined = await post<JoinedSeat>("/human-matches", request);
  saveSeat(joined.match, joined.token, joined.seat);
  return joined;
}

/** Creates a human match and opens it, or the page of its invite. */
export async function openHumanMatch(request: HumanMatchRequest): Promise<void> {
  const joined = await createHumanMatch(request);
  navigate(joined.invite ? `/invite/${joined.invite}` : `/matches/${joined.match}`);
}

/** Opens a short match against whoever waits in the lobby, or waits there. */
export const playAnybody = (id: string, name?: string) => openShort(id, { anybody: true }, name);

/** Opens a short match and the page with the link for a friend. */
export const inviteFriend = (id: string, name?: string) => openShort(id, { invite: true }, name);

async function openShort(id: string, opponent: OpponentChoice, name?: string): Promise<void> {
  const config = shortConfig(await loadGame(id));
  await openHumanMatch({ game: id, seat: "any", opponent, name, legs: 1, config });
}

/** Takes the free seat of a table in the lobby. */
export async function takeOpenTable(id: number, name?: string): Promise<void> {
  const joined = await post<JoinedSeat>(`/lobby/${id}`, { name });
  saveSeat(joined.match, joined.token, joined.seat);
  navigate(`/matches/${joined.match}`);
}

/** Opens a short match against a level: the chosen one, or the one that was chosen last. */
export async function playLevel(id: string, name = chosenLevel(id)): Promise<void> {
  const game = await loadGame(id);
  const levels = levelsOf(game.bots);
  const level = levels.find((level) => level.name === name) ?? levels[0] ?? easiestBot(game.bots);
  if (level?.bot == null) return navigate(`/play/${id}`);
  rememberLevel(id, level.name);
  const config = shortConfig(game);
  await openHumanMatch({ game: id, seat: "a", opponent: { bot: level.bot }, legs: 1, config });
}
