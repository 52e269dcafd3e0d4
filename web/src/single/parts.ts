// The parts of the page that contains everything: compressed with gzip, in digits of base 85
// (crates/server/src/http/replay_page.rs), each in an element that no browser runs.

import type { LegFrames } from "$viewer/leg_frames";

/** A part of the page; empty if the page has none. */
export function readPart(id: "engine" | "frames" | "replay"): Promise<Blob> {
  const text = (document.getElementById(id)?.textContent ?? "").trim();
  if (text === "") return Promise.resolve(new Blob());
  const stream = new Blob([readDigits(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).blob();
}

/** Five digits are four bytes; what a last group lacks counts as the highest digit. */
export function readDigits(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length - Math.ceil(text.length / 5));
  for (let at = 0, to = 0; at < text.length; at += 5) {
    let value = 0;
    for (let digit = at; digit < at + 5; digit++) {
      const sign = digit < text.length ? text.charCodeAt(digit) : 124;
      value = value * 85 + (sign === 35 ? 60 : sign) - 40;
    }
    for (let by = 24; by >= 0; by -= 8) if (to < bytes.length) bytes[to++] = value / 2 ** by;
  }
  return bytes;
}

/** The replay, and its frames where the page has them in place of an engine. */
export async function readReplay(): Promise<{ file: Blob; frames: LegFrames[] | undefined }> {
  const [file, frames] = await Promise.all([readPart("replay"), readPart("frames")]);
  if (frames.size === 0) return { file, frames: undefined };
  return { file, frames: JSON.parse(await frames.text()) as LegFrames[] };
}
