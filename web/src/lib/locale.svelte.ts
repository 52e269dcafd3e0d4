import { overwriteGetLocale } from "../paraglide/runtime";

/** The languages of the page. */
export type Locale = "en" | "zh";

/** A text that the server knows in both languages. */
export type Words = { en: string; zh: string };

const KEY = "leitai.lang";

let current: Locale = $state("en");

/** The language of the page. Whoever reads it is drawn again when it changes. */
export function locale(): Locale {
  return current;
}

/** Chooses a language for now and for the next visits. */
export function chooseLocale(chosen: Locale): void {
  show(chosen);
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // Storage is closed to this page: the choice holds until it is left.
  }
}

/** Begins with the language of `?lang=`, of an earlier choice, or of the browser, in this order. */
export function startLocale(): void {
  overwriteGetLocale(() => current);
  const asked = known(new URLSearchParams(location.search).get("lang"));
  if (asked) chooseLocale(asked);
  else show(known(saved()) ?? preferred(navigator.languages));
}

/** The text in the language of the page. */
export function said(words: Words): string {
  return words[current] || words.en;
}

/** The first language of a reader's list that the page speaks. */
export function preferred(languages: readonly string[]): Locale {
  for (const language of languages) {
    const found = known(language.slice(0, 2).toLowerCase());
    if (found) return found;
  }
  return "en";
}

function show(chosen: Locale): void {
  current = chosen;
  document.documentElement.lang = chosen === "zh" ? "zh-CN" : "en";
}

function known(text: string | null): Locale | null {
  return text === "en" || text === "zh" ? text : null;
}

function saved(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
