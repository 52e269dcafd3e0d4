import type { Theme } from "./theme_choice";

/** The choices of a reader: light, dark, or as the system has it. */
export type Choice = "system" | "light" | "dark";

const KEY = "leitai.theme";
const CONTRAST_KEY = "leitai.contrast";
const dark = matchMedia("(prefers-color-scheme: dark)");
const more = matchMedia("(prefers-contrast: more)");

let choice: Choice = $state(savedTheme());
let systemDark = $state(dark.matches);
/** Null: as the system has it. */
let contrast: boolean | null = $state(savedContrast());
let systemContrast = $state(more.matches);
dark.addEventListener("change", () => (systemDark = dark.matches));
more.addEventListener("change", () => {
  systemContrast = more.matches;
  applyContrast();
});

/** The chosen theme. */
export function themeChoice(): Choice {
  return choice;
}

/** The theme that is shown, as state: drawings on a canvas read it. */
export function theme(): "light" | "dark" {
  return choice === "system" ? (systemDark ? "dark" : "light") : choice;
}

/** Whether the page has high contrast, as state. */
export function hasHighContrast(): boolean {
  return contrast ?? systemContrast;
}

/** Sets the theme for this and the next visits; `theme.js` applies it before the first paint. */
export function chooseTheme(chosen: Choice): void {
  applyTheme(chosen);
  save(KEY, chosen === "system" ? null : chosen);
}

/** Sets the contrast for this and the next visits. */
export function chooseContrast(high: boolean): void {
  contrast = high === systemContrast ? null : high;
  applyContrast();
  save(CONTRAST_KEY, contrast === null ? null : high ? "more" : "normal");
}

/** Shows a theme in this page only; null leaves the reader's. */
export function showTheme(shown: Theme | null): void {
  if (shown === "contrast") contrast = true;
  else if (shown !== null) applyTheme(shown);
  applyContrast();
}

function applyTheme(chosen: Choice): void {
  choice = chosen;
  const root = document.documentElement;
  if (chosen === "system") delete root.dataset.theme;
  else root.dataset.theme = chosen;
}

function applyContrast(): void {
  const root = document.documentElement;
  if (hasHighContrast()) root.dataset.contrast = "more";
  else delete root.dataset.contrast;
}

function save(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The browser allows no storage: the choice holds until the page is closed.
  }
}

function savedTheme(): Choice {
  const root = document.documentElement.dataset.theme;
  return root === "light" || root === "dark" ? root : "system";
}

function savedContrast(): boolean | null {
  try {
    const saved = localStorage.getItem(CONTRAST_KEY);
    return saved === "more" ? true : saved === "normal" ? false : null;
  } catch {
    return null;
  }
}
