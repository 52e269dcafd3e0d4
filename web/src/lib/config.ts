import { m } from "../paraglide/messages";
import { said } from "./locale.svelte";
import type { Config, ConfigChoice, GameFull } from "./types";

const same = (one: unknown, two: unknown) => JSON.stringify(one) === JSON.stringify(two);

/** The keys in which a config differs from the game's usual one. */
export function differing(game: GameFull, config: Config): Config {
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => !same(value, game.config[key])),
  );
}

/** What a choice has chosen, in words. */
export function chosenWords(choice: ConfigChoice, value: unknown): string {
  if (typeof value === "boolean") return value ? m.yes() : m.no();
  const word = choice.values.find((one) => one.value === value);
  return word ? said(word.title) : typeof value === "object" ? "…" : String(value);
}

/** The keys in which a config differs from the usual one, in words; empty if it is the usual one. */
export function configWords(game: GameFull, config: Config): string {
  const words = Object.entries(differing(game, config)).map(([key, value]) => {
    const choice = game.choices.find((one) => one.key === key);
    if (choice) return `${said(choice.title)}: ${chosenWords(choice, value)}`;
    return `${key}: ${typeof value === "object" ? "…" : String(value)}`;
  });
  return words.join(" · ");
}
