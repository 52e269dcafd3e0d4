import { get } from "./api";
import { localized } from "./locale.svelte";
import type { BuiltIn, GameSummary } from "./types";

/** The games of the arena. They are loaded once, since every page names them. */
class Games {
  list: GameSummary[] | undefined = $state.raw();
  #asked: Promise<GameSummary[]> | null = null;

  /** Loads them unless that was done before. */
  load(): Promise<GameSummary[]> {
    this.#asked ??= get<GameSummary[]>("/games").then(
      (list) => (this.list = list),
      (error) => {
        this.#asked = null;
        throw error;
      },
    );
    return this.#asked;
  }
}

export const games = new Games();

/** The title of a game; its id until the title is loaded. */
export function gameTitle(id: string): string {
  const game = games.list?.find((game) => game.id === id);
  return game ? localized(game.title) : id;
}

/** The easiest built-in bot that still plays well: the second weakest if there are many. */
export function easiestBot(bots: BuiltIn[]): BuiltIn | undefined {
  return bots[bots.length > 3 ? 1 : 0];
}
