// The logs in a replay file that was dropped on the page: a match on one's own machine records what
// the programs wrote to stderr.

import type { LogEntry } from "$lib/types";

/** The logs of a leg; empty if the file has none or is packed. */
export async function readFileLogs(file: Blob, leg: number): Promise<LogEntry[]> {
  try {
    const replay = JSON.parse(await file.text()) as { legs?: { logs?: unknown }[] };
    const logs = replay.legs?.[leg - 1]?.logs;
    return Array.isArray(logs) ? logs.flatMap(readEntry) : [];
  } catch {
    return []; // Whether it is a replay has been said elsewhere.
  }
}

function readEntry(log: Record<string, unknown>): LogEntry[] {
  const { entrant, period, text } = log ?? {};
  const side = entrant === "A" ? "a" : entrant === "B" ? "b" : null;
  if (!side || typeof period !== "number" || typeof text !== "string") return [];
  return [{ entrant: side, period, text }];
}
