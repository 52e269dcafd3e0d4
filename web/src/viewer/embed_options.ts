// What the address of an embedded match asks for:
// `/embed/matches/7?leg=1&from=20&to=40&autoplay=1&loop=1&speed=2&theme=dark`.

import type { FrameBuffer } from "./frame_buffer";
import { type Theme, readTheme } from "$lib/theme_choice";

export interface EmbedOptions {
  /** Plays as soon as the board is there; not for readers who prefer no motion. */
  autoplay: boolean;
  /** Begins again at the end. */
  loop: boolean;
  /** 1 is the pace of the game's viewer. */
  speed: number;
  /** The theme of the frame; null leaves it to the reader's system. */
  theme: Theme | null;
  /** The first and the last round that are played; null is the leg's own. */
  from: number | null;
  to: number | null;
  /** The only leg that is played; null plays all of them, one after the other. */
  leg: number | null;
}

const SLOWEST = 0.25;
const FASTEST = 128;

/** Reads the query; values that make no sense count as not given. */
export function readEmbedOptions(query: URLSearchParams): EmbedOptions {
  const [from, to] = [readRound(query.get("from")), readRound(query.get("to"))];
  return {
    autoplay: readFlag(query.get("autoplay")),
    loop: readFlag(query.get("loop")),
    speed: readSpeed(query.get("speed")),
    theme: readTheme(query.get("theme")),
    from,
    to: to !== null && from !== null && to < from ? null : to,
    leg: readRound(query.get("leg")) || null,
  };
}

/** The query of the options; what is not asked for is left out. */
export function writeEmbedOptions(options: EmbedOptions): URLSearchParams {
  const query = new URLSearchParams();
  const { autoplay, loop, speed, theme, from, to, leg } = options;
  if (leg !== null) query.set("leg", String(leg));
  if (from !== null) query.set("from", String(from));
  if (to !== null) query.set("to", String(to));
  if (autoplay) query.set("autoplay", "1");
  if (loop) query.set("loop", "1");
  if (speed !== 1) query.set("speed", String(speed));
  if (theme !== null) query.set("theme", theme);
  return query;
}

/** The steps of a leg that are played. */
export function embeddedSteps(
  buffer: FrameBuffer,
  { from, to }: Pick<EmbedOptions, "from" | "to">,
): { first: number; last: number } {
  const first = from === null ? 0 : buffer.firstStepOfRound(from);
  // The position after a round is the first one of the next.
  const last = to === null ? buffer.lastStep : buffer.firstStepOfRound(to + 1);
  return { first, last: Math.max(first, buffer.clampStep(last)) };
}

function readFlag(text: string | null): boolean {
  return text !== null && !["0", "false", "no", "off"].includes(text);
}

function readSpeed(text: string | null): number {
  const speed = text === null ? NaN : Number(text);
  return speed > 0 ? Math.min(FASTEST, Math.max(SLOWEST, speed)) : 1;
}

function readRound(text: string | null): number | null {
  return text !== null && /^\d{1,5}$/.test(text) ? Number(text) : null;
}
