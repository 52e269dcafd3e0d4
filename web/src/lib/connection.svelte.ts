// Whether the server answers. Calls of the API and live sockets report here; one banner on top of every page shows it.

/** Milliseconds between two questions to a server that does not answer. */
const PROBE_EVERY = 2000;

let silent = $state(false);
let sockets = $state(0);

/** True while the server does not answer, or a live match has lost its socket. */
export function connectionLost(): boolean {
  return silent || sockets > 0;
}

/** A call was answered. */
export function reportAnswer(): void {
  silent = false;
}

/** A call reached nobody: the server is asked again until it answers. */
export function reportSilence(): void {
  if (silent) return;
  silent = true;
  setTimeout(() => void probeServer(), PROBE_EVERY);
}

/** A live socket was lost; the answer is to be called when it is back, or nobody waits for it any more. */
export function reportLostSocket(): () => void {
  sockets++;
  return () => void sockets--;
}

async function probeServer(): Promise<void> {
  if (!silent) return;
  const response = await fetch("/healthz", { cache: "no-store" }).catch(() => null);
  if (response?.ok) silent = false;
  else setTimeout(() => void probeServer(), PROBE_EVERY);
}
