import { get } from "./api";
import { localized } from "./locale.svelte";
import type { BuiltIn, GameDetails, GameSummary } from "./types";

/** The cache of the games that are kept for the time without the server (engine/kept_games.ts). */
export const KEPT_GAMES = "leitai.games";

/** The games of the arena. They are loaded once, since every page names them. */
class Games {
  list: GameSummary[] | undefined = $state.raw();
  /** Games that are kept here, once the server did not answer. */
  kept: GameDetails[] = $state.raw([]);
  #asked: Promise<GameSummary[]> | null = null;

  /** Loads them unless that was done before. */
  load(): Promise<GameSummary[]> {
    this.#asked ??= get<GameSummary[]>("/games").then(
      (list) => {
        void forgetOthers(list).catch(() => undefined);
        return (this.list = list);
      },
      (error) => {
        this.#asked = null;
        throw error;
      },
    );
    return this.#asked;
  }
}

export const games = new Games();

/** What is kept of games that the arena has no more is dropped. */
async function forgetOthers(list: GameSummary[]): Promise<void> {
  if (await globalThis.caches?.has(KEPT_GAMES))
    await (await import("./engine/kept_games")).forgetOtherGames(list);
}

/** A game with its bots and options, without its guide, which is long. */
export const loadGame = (id: string): Promise<GameDetails> =>
  get<GameDetails>(`/games/${id}`, { guide: "false" });

/** A game once the list of games is loaded, which this asks for. */
function find(id: string): GameSummary | undefined {
  if (!games.list) void games.load().catch(() => undefined);
  return (games.list ?? games.kept).find((game) => game.id === id);
}

/** The title of a game; its id until the title is loaded. */
export function gameTitle(id: string): string {
  const game = find(id);
  return game ? localized(game.title) : id;
}

/** The address of the picture that a game file brings, once the list of games is loaded. */
export const emblemOf = (id: string): string | null => find(id)?.emblem ?? null;

/** Whether the arena gives a game's rules to pages, once the list of games is loaded. */
export const hasPageRules = (id: string): boolean => find(id)?.page_rules ?? false;

/** Whether a game from a file has levels: its rules are a module, and hide nothing. */
export const isSearched = (id: string): boolean => hasPageRules(id) && find(id)?.open === true;

/** Whether a judge program leads a game, so that only programs play it, once the list is loaded. */
export const isForPrograms = (id: string): boolean => find(id)?.programs_only ?? false;

/** The title of a ladder; its name until the title is loaded. */
export function ladderTitle(game: string, name: string): string {
  const ladders = games.list?.find(({ id }) => id === game)?.ladders;
  const ladder = ladders?.find((ladder) => ladder.name === name);
  return ladder ? localized(ladder.title) : name;
}

/** The easiest built-in bot that still plays well: the second weakest if there are many. */
export function easiestBot(bots: BuiltIn[]): BuiltIn | undefined {
  return bots[bots.length > 3 ? 1 : 0];
}
