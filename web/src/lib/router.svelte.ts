import { tick, untrack } from "svelte";

/** The address of the page. */
export type PageAddress = { path: string; query: URLSearchParams; hash: string };

let current: PageAddress = $state.raw(readLocation());

/** The address of the page, as state. */
export function pageAddress(): PageAddress {
  return current;
}

/** The page to which a person returns after logging in. */
export function returnPath(): string {
  const asked = current.query.get("to");
  // Only addresses of this site: `//other.example` is another site.
  return asked && /^\/(?![/\\])/.test(asked) ? asked : "/account";
}

/** Opens an address of this site at its top. */
export function navigate(to: string): void {
  history.pushState(null, "", to);
  // An effect that navigates must not depend on the address that it sets.
  void untrack(updatePage);
}

/**
 * Replaces the address of the same page, for the moment that a viewer shows or a filter. Pages that
 * read `pageAddress()` see it; the history gets no new entry.
 */
export function replaceAddress(to: string): void {
  history.replaceState(history.state, "", to);
  current = readLocation();
}

/** Follows links within the site without reloading the page. Call it once. */
export function startRouter(): void {
  addEventListener("popstate", () => (current = readLocation()));
  document.addEventListener("click", (event) => {
    const to = internalTarget(event);
    if (to === null) return;
    event.preventDefault();
    if (to !== location.pathname + location.search + location.hash) navigate(to);
  });
}

async function updatePage(): Promise<void> {
  const before = current.path;
  current = readLocation();
  if (current.path === before) return;
  await tick();
  scrollTo(0, 0);
  // Screen readers announce the new page, and Tab begins at its top.
  document.getElementById("content")?.focus({ preventScroll: true });
}

function readLocation(): PageAddress {
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    hash: location.hash.slice(1),
  };
}

/** The target of a plain click on a link of this site; null if the browser handles the click. */
function internalTarget(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download"))
    return null;
  if (link.origin !== location.origin || /^\/(api|docs)\//.test(link.pathname)) return null;
  const moves = link.pathname === location.pathname && link.search === location.search && link.hash;
  return moves ? null : link.pathname + link.search + link.hash;
}
