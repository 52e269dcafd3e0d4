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

/** The value of an option as people read it. */
export function describeOptionValue(option: ConfigOption, value: unknown): string {
  if (typeof value === "boolean") return value ? m.yes() : m.no();
  const known = option.values.find((one) => one.value === value);
  return known ? localized(known.title) : typeof value === "object" ? "…" : String(value);
}

/** The options that differ from the default, as people read them; empty if none does. */
export function describeConfig(game: GameDetails, config: Config): string {
  const texts = Object.entries(changedOptions(game, config)).map(([key, value]) => {
    const option = game.config_options.find((one) => one.key === key);
    if (option) return `${localized(option.title)}: ${describeOptionValue(option, value)}`;
    return `${key}: ${typeof value === "object" ? "…" : String(value)}`;
  });
  return texts.join(" · ");
}
