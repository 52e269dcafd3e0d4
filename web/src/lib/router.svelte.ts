import { tick, untrack } from "svelte";

/** Where the reader is. */
export type Place = { path: string; query: URLSearchParams; hash: string };

let current: Place = $state.raw(here());

/** Where the reader is. Whoever reads it is drawn again when it changes. */
export function place(): Place {
  return current;
}

/** Goes to an address of this site and begins at its top. */
export function go(to: string): void {
  history.pushState(null, "", to);
  // An effect that goes elsewhere must not begin again because of where it went.
  void untrack(arrive);
}

/**
 * Writes another address for the same page: the moment a viewer shows, a filter. Pages that read `place()` see it; the
 * way back does not fill up with it.
 */
export function readdress(to: string): void {
  history.replaceState(history.state, "", to);
  current = here();
}

/** Follows links within the site without loading the page anew. Call it once. */
export function startRouter(): void {
  addEventListener("popstate", () => (current = here()));
  document.addEventListener("click", (event) => {
    const to = inside(event);
    if (to === null) return;
    event.preventDefault();
    if (to !== location.pathname + location.search + location.hash) go(to);
  });
}

async function arrive(): Promise<void> {
  const before = current.path;
  current = here();
  if (current.path === before) return;
  await tick();
  scrollTo(0, 0);
  // Who listens to the page hears that it is another one, and Tab goes on from its beginning.
  document.getElementById("content")?.focus({ preventScroll: true });
}

function here(): Place {
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    hash: location.hash.slice(1),
  };
}

/** The address behind a plain click on a link of this site; null where the browser should do what it always does. */
function inside(event: MouseEvent): string | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return null;
  if (link.origin !== location.origin || /^\/(api|docs)\//.test(link.pathname)) return null;
  const moves = link.pathname === location.pathname && link.search === location.search && link.hash;
  return moves ? null : link.pathname + link.search + link.hash;
}
