// Whether the page is dark, and whether motion is wanted.

import { theme } from "$lib/theme.svelte";

const still =
  typeof matchMedia === "function" ? matchMedia("(prefers-reduced-motion: reduce)") : null;
let reduced = $state(still?.matches ?? false);
still?.addEventListener("change", () => (reduced = still.matches));

export function isDark(): boolean {
  return theme() === "dark";
}

/** The reader prefers that nothing moves. */
export function prefersStill(): boolean {
  return reduced;
}
