import { get } from "./api";
import { said } from "./locale.svelte";
import type { BuiltIn, Game } from "./types";

/** The games of the arena: asked once a visit, for every page names them. */
class Games {
  list: Game[] | undefined = $state.raw();
  #asked: Promise<Game[]> | null = null;

  /** Asks unless it was asked before. */
  know(): Promise<Game[]> {
    this.#asked ??= get<Game[]>("/games").then(
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
export function titles(id: string): string {
  const game = games.list?.find((game) => game.id === id);
  return game ? said(game.title) : id;
}

/** Whom to meet first: the weakest of a game's built-in bots, or the second weakest where there are many. */
export function easiest(bots: BuiltIn[]): BuiltIn | undefined {
  return bots[bots.length > 3 ? 1 : 0];
}
