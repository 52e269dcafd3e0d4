import { overwriteGetLocale } from "../paraglide/runtime";
import type { Lang, LocalizedText } from "./types";

const KEY = "leitai.lang";

let current: Lang = $state("en");

/** The language of the page, as state. */
export function locale(): Lang {
  return current;
}

/** Sets the language for this and the next visits. */
export function chooseLocale(chosen: Lang): void {
  applyLocale(chosen);
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The browser allows no storage: the choice holds until the page is closed.
  }
}

/** Starts with the language of `?lang=`, of an earlier choice, or of the browser, in this order. */
export function startLocale(): void {
  overwriteGetLocale(() => current);
  const asked = knownLocale(new URLSearchParams(location.search).get("lang"));
  if (asked) chooseLocale(asked);
  else applyLocale(knownLocale(savedLocale()) ?? preferredLocale(navigator.languages));
}

/** The text in the language of the page. */
export function localized(text: LocalizedText): string {
  return text[current] || text.en;
}

/** The first language of a reader's list that the page has. */
export function preferredLocale(languages: readonly string[]): Lang {
  for (const language of languages) {
    const found = knownLocale(language.slice(0, 2).toLowerCase());
    if (found) return found;
  }
  return "en";
}

function applyLocale(chosen: Lang): void {
  current = chosen;
  document.documentElement.lang = chosen === "zh" ? "zh-CN" : "en";
}

function knownLocale(text: string | null): Lang | null {
  return text === "en" || text === "zh" ? text : null;
}

function savedLocale(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
