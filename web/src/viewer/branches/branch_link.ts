// A branch as a fragment of an address: `#branch=LEG.STEP.FIRST.SECOND.REPLIES`. STEP is the number
// of recorded steps that are kept; FIRST and SECOND play on (`person`, or the name of a built-in
// bot); REPLIES are those after the recorded steps, deflated and in base64url. Nothing is stored.

import type { Seat } from "../leg_frames";

/** Who plays each seat of a branch: null is the reader, else a built-in bot. */
export type BranchPlayers = Record<Seat, string | null>;

export interface BranchMoves {
  leg: number;
  /** Recorded steps that are kept. */
  step: number;
  players: BranchPlayers;
  /** The replies after them, as in a replay. */
  replies: string;
}

const PERSON = "person";
/** The longest fragment that is read, and the longest text that it may contain. */
const LONGEST_LINK = 64_000;
const LONGEST_REPLIES = 4_000_000;

export async function writeBranch({ leg, step, players, replies }: BranchMoves): Promise<string> {
  const [first, second] = [players.first ?? PERSON, players.second ?? PERSON];
  return `#branch=${[leg, step, first, second, await pack(replies)].join(".")}`;
}

/** The branch of a fragment; null if it names none, or is damaged. */
export async function readBranch(hash: string): Promise<BranchMoves | null> {
  const found = /^#branch=(\d{1,2})\.(\d{1,6})\.([\w-]{1,32})\.([\w-]{1,32})\.([\w-]*)$/.exec(hash);
  if (!found || hash.length > LONGEST_LINK) return null;
  const [, leg, step, first, second, packed] = found as unknown as string[];
  const player = (name: string) => (name === PERSON ? null : name);
  try {
    const replies = await unpack(packed!);
    const players = { first: player(first!), second: player(second!) };
    return { leg: Number(leg), step: Number(step), players, replies };
  } catch {
    return null;
  }
}

async function pack(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

async function unpack(text: string): Promise<string> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let found = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found + decoder.decode();
    found += decoder.decode(value, { stream: true });
    // A small file can contain a very long text.
    if (found.length > LONGEST_REPLIES) throw new Error("the branch is too long");
  }
}

/** The first replies of a list. */
export function firstReplies(replies: string, count: number): string {
  return replies.split(" ").slice(0, count).join(" ");
}
