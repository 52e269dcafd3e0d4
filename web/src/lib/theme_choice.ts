/** The themes that an address or a visitor can ask for. */
export type Theme = "light" | "dark" | "contrast";

const THEMES: readonly Theme[] = ["light", "dark", "contrast"];

/** A theme by its name; null if there is none of this name. */
export function readTheme(name: string | null | undefined): Theme | null {
  return THEMES.find((known) => known === name) ?? null;
}
