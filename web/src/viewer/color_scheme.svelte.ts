// Whether the page is dark, and whether the reader wants motion.

import { theme } from "$lib/theme.svelte";

const still =
  typeof matchMedia === "function" ? matchMedia("(prefers-reduced-motion: reduce)") : null;
let reduced = $state(still?.matches ?? false);
still?.addEventListener("change", () => (reduced = still.matches));

export function isDark(): boolean {
  return theme() === "dark";
}

/** The reader prefers no motion. */
export function prefersStill(): boolean {
  return reduced;
}
