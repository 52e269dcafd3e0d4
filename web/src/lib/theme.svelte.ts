/** What a reader may choose: always light, always dark, or as the system does. */
export type Choice = "system" | "light" | "dark";

const KEY = "leitai.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

let choice: Choice = $state(savedTheme());
let systemDark = $state(dark.matches);
dark.addEventListener("change", () => (systemDark = dark.matches));

/** What was chosen. */
export function themeChoice(): Choice {
  return choice;
}

/** What is shown. Charts and boards that draw on a canvas read it, so that they draw again when it changes. */
export function theme(): "light" | "dark" {
  return choice === "system" ? (systemDark ? "dark" : "light") : choice;
}

/** Chooses for now and for the next visits; `theme.js` applies it before the first paint. */
export function chooseTheme(chosen: Choice): void {
  choice = chosen;
  const root = document.documentElement;
  if (chosen === "system") delete root.dataset.theme;
  else root.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Storage is closed to this page: the choice holds until it is left.
  }
}

function savedTheme(): Choice {
  const root = document.documentElement.dataset.theme;
  return root === "light" || root === "dark" ? root : "system";
}
