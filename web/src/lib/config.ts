import { m } from "../paraglide/messages";
import { localized } from "./locale.svelte";
import type { Config, ConfigOption, GameDetails } from "./types";

const sameJson = (one: unknown, two: unknown) => JSON.stringify(one) === JSON.stringify(two);

/** The options in which a config differs from the game's default. */
export function changedOptions(game: GameDetails, config: Config): Config {
  return Object.fromEntries(
    Object.entries(config).filter(([key, value]) => !sameJson(value, game.config[key])),
  );
}

/** The value of an option in words. */
export function describeOptionValue(choice: ConfigOption, value: unknown): string {
  if (typeof value === "boolean") return value ? m.yes() : m.no();
  const word = choice.values.find((one) => one.value === value);
  return word ? localized(word.title) : typeof value === "object" ? "…" : String(value);
}

/** The options that differ from the default, in words; empty if none does. */
export function describeConfig(game: GameDetails, config: Config): string {
  const words = Object.entries(changedOptions(game, config)).map(([key, value]) => {
    const choice = game.choices.find((one) => one.key === key);
    if (choice) return `${localized(choice.title)}: ${describeOptionValue(choice, value)}`;
    return `${key}: ${typeof value === "object" ? "…" : String(value)}`;
  });
  return words.join(" · ");
}
