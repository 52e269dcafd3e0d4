// The games from game files that were loaded here, kept for the time without the server: what the
// rules are, how their board is drawn, and what the page says of them. Everything is asked without
// the session, so it is what everybody may see. A game is one entry, of one version: it is replaced
// as a whole when the game is loaded again, and dropped once the arena has it no more.

import { ApiError, get, getAsGuest, getFile } from "../api";
import { KEPT_GAMES as CACHE, games } from "../games.svelte";
import type { GameDetails, GameSummary } from "../types";

/** The most games and bytes that are kept; the one that was loaded first gives way. */
const [MOST_GAMES, MOST_BYTES] = [8, 32 << 20];

interface Kept {
  about: GameDetails;
  /** Its rules with their version. */
  version: string;
  /** By which it draws its board. */
  script: string | null;
}

interface KeptGame extends Kept {
  /** The answer of `page-rules`. */
  rules: Blob;
}

/** Addresses of the cache that nobody asks the server for. */
const addressOf = (game: string) => `/kept-games/${game}`;

/** Whether the server did not answer. */
const isSilent = (error: unknown) => error instanceof ApiError && error.status === 0;

/** The cache, once something was kept; a browser may refuse storage. */
async function openCache(): Promise<Cache | null> {
  try {
    return (await caches.has(CACHE)) ? await caches.open(CACHE) : null;
  } catch {
    return null;
  }
}

/** Keeps a game whose rules were loaded. What fails leaves what was kept before. */
export async function keepGame(game: string, version: string, rules: Blob): Promise<void> {
  const path = `/games/${game}`;
  const [about, { script }] = await Promise.all([
    getAsGuest<GameDetails>(path),
    getAsGuest<{ script: string | null }>(`${path}/viewer?rules=${encodeURIComponent(version)}`),
  ]);
  // In an image, nothing of it runs or fetches; as data it has no address to be opened at.
  const svg = about.emblem && (await getAsGuest<string>(about.emblem.slice("/api".length)));
  about.emblem = svg && `data:image/svg+xml,${encodeURIComponent(svg)}`;
  // What was answered between two equal rules belongs to them.
  const again = await getFile(`${path}/page-rules`, "omit");
  if (!(await isSameFile(rules, again))) return;
  const kept: Kept = { about, version, script };
  const form = new FormData();
  form.set("kept", JSON.stringify(kept));
  form.set("rules", rules);
  const bytes = (await new Response(form).blob()).size;
  if (bytes > MOST_BYTES) return;
  const cache = await caches.open(CACHE);
  await makeRoom(cache, addressOf(game), bytes);
  const headers = { "kept-at": `${Date.now()}`, "kept-bytes": `${bytes}` };
  await cache.put(addressOf(game), new Response(form, { headers }));
}

async function isSameFile(one: Blob, other: Blob): Promise<boolean> {
  const [left, right] = [await one.arrayBuffer(), await other.arrayBuffer()].map(
    (bytes) => new Uint8Array(bytes),
  ) as [Uint8Array, Uint8Array];
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** Drops the oldest until one of this size may come there. */
async function makeRoom(cache: Cache, address: string, bytes: number): Promise<void> {
  const kept = [];
  for (const request of await cache.keys()) {
    if (new URL(request.url).pathname === address) continue;
    const headers = (await cache.match(request))?.headers;
    const numberOf = (name: string) => Number(headers?.get(name));
    kept.push({ request, at: numberOf("kept-at"), bytes: numberOf("kept-bytes") });
  }
  kept.sort((one, other) => other.at - one.at);
  let room = MOST_BYTES - bytes;
  for (const [place, one] of kept.entries()) {
    room -= one.bytes;
    if (room < 0 || place >= MOST_GAMES - 1) await cache.delete(one.request);
  }
}

async function readGame(game: string): Promise<KeptGame | null> {
  try {
    const response = await caches.match(addressOf(game), { cacheName: CACHE });
    const form = await response?.formData();
    const [kept, rules] = [form?.get("kept"), form?.get("rules")];
    if (typeof kept !== "string" || !(rules instanceof Blob)) return null;
    return { ...(JSON.parse(kept) as Kept), rules };
  } catch {
    return null; // The browser keeps nothing, or something else.
  }
}

/** The kept rules of this version or of any, where the server does not answer. */
export async function keptRules(
  game: string,
  version: string | null,
  error: unknown,
): Promise<Blob | null> {
  const kept = isSilent(error) ? await readGame(game) : null;
  return kept && (version ?? kept.version) === kept.version ? kept.rules : null;
}

/** The script that draws these rules, where the server does not answer. */
export async function keptScript(
  game: string,
  version: string,
  error: unknown,
): Promise<string | null> {
  const kept = isSilent(error) ? await readGame(game) : null;
  return kept?.version === version ? kept.script : null;
}

/** A game with its guide: of the server, else the kept one. */
export async function loadGuide(game: string): Promise<GameDetails> {
  try {
    return await get<GameDetails>(`/games/${game}`);
  } catch (error) {
    const kept = isSilent(error) ? await readGame(game) : null;
    if (!kept) throw error;
    return kept.about;
  }
}

/** Reads what is kept into the games that the page knows. */
export async function readKeptGames(): Promise<void> {
  const requests = (await (await openCache())?.keys()) ?? [];
  const names = requests.map(({ url }) => new URL(url).pathname.split("/").at(-1)!);
  const found = await Promise.all(names.map(readGame));
  games.kept = found.flatMap((one) => (one ? [one.about] : []));
}

/** Forgets the games that the arena has no more, or whose rules it gives to pages no more. */
export async function forgetOtherGames(list: GameSummary[]): Promise<void> {
  const given = list.filter(({ page_rules }) => page_rules).map(({ id }) => addressOf(id));
  const cache = await openCache();
  for (const request of (await cache?.keys()) ?? [])
    if (!given.includes(new URL(request.url).pathname)) await cache?.delete(request);
}

/** Forgets a game of which the arena said that it gives no rules. */
export async function forgetGame(game: string): Promise<void> {
  await (await openCache())?.delete(addressOf(game));
}
