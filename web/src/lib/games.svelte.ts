import { get } from "./api";
import { localized } from "./locale.svelte";
import type { BuiltIn, GameSummary } from "./types";

/** The games of the arena: asked once a visit, for every page names them. */
class Games {
  list: GameSummary[] | undefined = $state.raw();
  #asked: Promise<GameSummary[]> | null = null;

  /** Asks unless it was asked before. */
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

/** What people call a game; its id as long as that is not known. */
export function gameTitle(id: string): string {
  const game = games.list?.find((game) => game.id === id);
  return game ? localized(game.title) : id;
}

/** Whom to meet first: the weakest of a game's built-in bots, or the second weakest where there are many. */
export function easiestBot(bots: BuiltIn[]): BuiltIn | undefined {
  return bots[bots.length > 3 ? 1 : 0];
}
