// The levels of the built-in opponents, and the level that this reader chose last in each game.

import { m } from "../paraglide/messages";
import type { BuiltIn, Config, GameDetails } from "./types";

/** The strongest opponent, above the levels. */
const CHAMPION = "champion";

/** A person without an account who gave no name. */
const GUEST = "guest";

/** The short form of a match: one leg with fewer rounds, which stops when it is decided. */
const SHORT: Record<string, Config> = {
  snakego: { max_round: 128, stop_decided: true },
  tankcraft: { rounds: 100, stop_decided: true },
};

/** A built-in opponent that can be chosen as a level. */
export type Level = BuiltIn & { bot: number };

/** The number of a level's bot; null for other bots. */
export function levelNumber(name: string): number | null {
  const found = /^level([1-9]\d?)$/.exec(name);
  return found ? Number(found[1]) : null;
}

/** A name as people read it: "Level 3", "Champion"; a guest in the language of the page. */
export function builtInTitle(name: string): string {
  if (name === GUEST) return m.lobby_guest();
  const level = levelNumber(name);
  if (level !== null) return m.level_n({ level });
  return name === CHAMPION ? m.level_champion() : name;
}

/** The name of a bot as people read it. */
export const botTitle = ({ name, built_in }: { name: string; built_in: boolean }): string =>
  built_in ? builtInTitle(name) : name;

/** The bots that people choose from: not those that once were levels, which records still name. */
export const chosenBots = <B extends { name: string }>(bots: readonly B[]): B[] =>
  bots.filter(({ name }) => !name.startsWith("former-"));

/** The levels of a game, the weakest first; the champion is the last one. */
export function levelsOf(bots: readonly BuiltIn[]): Level[] {
  const rank = ({ name }: BuiltIn) => levelNumber(name) ?? (name === CHAMPION ? Infinity : -1);
  const levels = bots.filter((bot): bot is Level => rank(bot) >= 0 && bot.bot != null);
  return levels.sort((a, b) => rank(a) - rank(b));
}

/** The level that is one stronger or weaker; undefined at the ends, and for other bots. */
export function adjacentLevel(levels: readonly Level[], bot: number, by: 1 | -1) {
  const at = levels.findIndex((level) => level.bot === bot);
  return at < 0 ? undefined : levels[at + by];
}

/** What the end of a match against a level offers next. */
export interface WaysOn {
  /** The level that is offered first; without one it is the same again. */
  first: Level | undefined;
  /** A level that is offered beside it. */
  other: Level | undefined;
  /** Nothing is weaker than who won: what helps is to see how the game is played. */
  needsGuide: boolean;
}

/** A stronger level is nothing for who has lost, and a weaker one the first thing. */
export function waysOn(
  levels: readonly Level[],
  bot: number | null,
  result: "won" | "lost" | "draw",
): WaysOn {
  const [easier, harder] = ([-1, 1] as const).map((by) =>
    bot === null ? undefined : adjacentLevel(levels, bot, by),
  );
  if (result === "won") return { first: harder, other: easier, needsGuide: false };
  if (result === "draw") return { first: undefined, other: harder ?? easier, needsGuide: false };
  const isLowest = levels.length > 0 && levels[0]!.bot === bot;
  return { first: easier, other: undefined, needsGuide: isLowest };
}

/** The options of the short form of a game. */
export const shortConfigOf = (game: string): Config => SHORT[game] ?? {};

/** The same, as far as the game has them. */
export function shortConfig(game: Pick<GameDetails, "id" | "config_options">): Config {
  const options = Object.entries(shortConfigOf(game.id));
  return Object.fromEntries(
    options.filter(([key]) => game.config_options.some((option) => option.key === key)),
  );
}

const key = (game: string) => `leitai.level@2.${game}`;
/** The key of the first scale, whose level 1 is level 3 today. */
const firstKey = (game: string) => `leitai.level.${game}`;
const LEVELS_BELOW_THE_FIRST_SCALE = 2;

/** The name of the level that was chosen last in a game; the first level at the beginning. */
export function chosenLevel(game: string): string {
  try {
    const known = localStorage.getItem(key(game));
    return known ?? todaysName(localStorage.getItem(firstKey(game))) ?? "level1";
  } catch {
    return "level1"; // Storage is not allowed.
  }
}

/** Today's name of a level of the first scale. */
function todaysName(first: string | null): string | null {
  const level = levelNumber(first ?? "");
  return level === null ? first : `level${level + LEVELS_BELOW_THE_FIRST_SCALE}`;
}

export function rememberLevel(game: string, name: string): void {
  try {
    localStorage.setItem(key(game), name);
  } catch {
    // Storage is not allowed: the choice is forgotten.
  }
}
