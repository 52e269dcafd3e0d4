// The rules of game files, for the engine of this page: the arena gives them to everybody who may
// have the file (GET /api/games/{game}/page-rules).

import { ApiError, getFile } from "../api";
import { forgetGame, keepGame, keptRules } from "./kept_games";

/** A game from a game file: what the arena says of it, and its module. */
export interface GuestRules {
  game: string;
  /** Its rules with their version. */
  version: string;
  /** What the arena says of it, as JSON text. */
  rules: Uint8Array;
  module: WebAssembly.Module;
  /** Whether it did not answer in time: it is not asked again. */
  isSlow?: boolean;
}

/**
 * The rules of a replay's game, or the newest of a game; null if the arena gives none to pages. The
 * newest are kept for the time without the server.
 */
export async function fetchGuestRules(
  game: string,
  version: string | null,
): Promise<GuestRules | null> {
  // A replay comes from anybody.
  if (!/^[a-z0-9-]{1,64}$/.test(game)) return null;
  const which = version === null ? "" : `?rules=${encodeURIComponent(version)}`;
  let file: Blob;
  try {
    file = await getFile(`/games/${game}/page-rules${which}`, "omit");
  } catch (error) {
    const kept = await keptRules(game, version, error);
    if (kept) return readGuestRules(game, kept);
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    if (version === null) await forgetGame(game);
    return null;
  }
  const found = await readGuestRules(game, file);
  // Without it the page needs the server, as before.
  if (version === null) keepGame(game, found.version, file).catch(() => undefined);
  return found;
}

async function readGuestRules(game: string, file: Blob): Promise<GuestRules> {
  const bytes = await file.arrayBuffer();
  const length = new DataView(bytes).getUint32(0, true);
  const rules = new Uint8Array(bytes, 4, length);
  const module = await WebAssembly.compile(bytes.slice(4 + length));
  const said = JSON.parse(new TextDecoder().decode(rules)) as { rules: string };
  return { game, version: said.rules, rules, module };
}

/** The game and the rules that a replay names; null if it does not. */
export function readGameName(file: Uint8Array): { game: string; version: string } | null {
  try {
    const { game, rules } = JSON.parse(new TextDecoder().decode(file)) as Record<string, unknown>;
    return typeof game === "string" && typeof rules === "string" ? { game, version: rules } : null;
  } catch {
    return null;
  }
}
