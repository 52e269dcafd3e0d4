// The parts of the page that contains everything: compressed with gzip, in base64, each in an
// element that no browser runs.

import type { LegFrames } from "$viewer/leg_frames";

/** A part of the page; empty if the page has none. */
export function readPart(id: "engine" | "frames" | "replay"): Promise<Blob> {
  const text = (document.getElementById(id)?.textContent ?? "").trim();
  if (text === "") return Promise.resolve(new Blob());
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).blob();
}

/** The replay, and its frames where the page has them in place of an engine. */
export async function readReplay(): Promise<{ file: Blob; frames: LegFrames[] | undefined }> {
  const [file, frames] = await Promise.all([readPart("replay"), readPart("frames")]);
  if (frames.size === 0) return { file, frames: undefined };
  return { file, frames: JSON.parse(await frames.text()) as LegFrames[] };
}
