// Whether the server answers. API calls and live connections report their state here; every page
// shows a banner.

/** Milliseconds between two requests to a server that does not answer. */
const PROBE_EVERY = 2000;

let silent = $state(false);
/** How many sockets are lost; callers are effects, which must not depend on it. */
let lostSockets = 0;
let sockets = $state(0);

/** True while the server does not answer, or a live match has lost its socket. */
export function connectionLost(): boolean {
  return silent || sockets > 0;
}

/** The server has answered a call. */
export function reportAnswer(): void {
  silent = false;
}

/** The server did not answer: it is asked again until it does. */
export function reportSilence(): void {
  if (silent) return;
  silent = true;
  setTimeout(() => void probeServer(), PROBE_EVERY);
}

/** A live connection was lost. Call the returned function when it is back or no longer needed. */
export function reportLostSocket(): () => void {
  sockets = ++lostSockets;
  return () => void (sockets = --lostSockets);
}

async function probeServer(): Promise<void> {
  if (!silent) return;
  const response = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (response?.ok) silent = false;
  else setTimeout(() => void probeServer(), PROBE_EVERY);
}
