/** The choices of a reader: light, dark, or as the system has it. */
export type Choice = "system" | "light" | "dark";

const KEY = "leitai.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

let choice: Choice = $state(savedTheme());
let systemDark = $state(dark.matches);
dark.addEventListener("change", () => (systemDark = dark.matches));

/** The chosen theme. */
export function themeChoice(): Choice {
  return choice;
}

/** The theme that is shown, as state: drawings on a canvas read it. */
export function theme(): "light" | "dark" {
  return choice === "system" ? (systemDark ? "dark" : "light") : choice;
}

/** Sets the theme for this and the next visits; `theme.js` applies it before the first paint. */
export function chooseTheme(chosen: Choice): void {
  choice = chosen;
  const root = document.documentElement;
  if (chosen === "system") delete root.dataset.theme;
  else root.dataset.theme = chosen;
  try {
    if (chosen === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // The browser allows no storage: the choice holds until the page is closed.
  }
}

function savedTheme(): Choice {
  const root = document.documentElement.dataset.theme;
  return root === "light" || root === "dark" ? root : "system";
}
