// Writes a GIF: one palette for all pictures, and of every picture what has changed.

import { GIFEncoder, type Palette, applyPalette, quantize } from "gifenc";
import type { FromGifWorker, ToGifWorker } from "./gif_protocol";

/** The last colour of the palette means: as in the picture before. */
const MOST_COLORS = 255;
const FORMAT = "rgb565";

const encoder = GIFEncoder();
let width = 0;
let height = 0;
let palette: Palette = [];
let before: Uint8Array | null = null;

function post(message: FromGifWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer });
}

function choosePalette(samples: Uint8ClampedArray[]): Palette {
  const all = new Uint8ClampedArray(samples.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sample of samples) {
    all.set(sample, at);
    at += sample.length;
  }
  return quantize(all, MOST_COLORS, { format: FORMAT });
}

function writeFrame(pixels: Uint8ClampedArray, millis: number): void {
  const indexed = applyPalette(pixels, palette, FORMAT);
  const unchanged = palette.length;
  const known = before;
  const changed = known
    ? indexed.map((color, at) => (color === known[at] ? unchanged : color))
    : indexed;
  encoder.writeFrame(changed, width, height, {
    palette: known ? undefined : [...palette, [0, 0, 0]],
    delay: millis,
    transparent: known !== null,
    transparentIndex: unchanged,
    dispose: 1,
    repeat: 0,
  });
  before = indexed;
}

self.onmessage = ({ data }: MessageEvent<ToGifWorker>) => {
  if (data.type === "finish") {
    encoder.finish();
    const bytes = encoder.bytes() as Uint8Array<ArrayBuffer>;
    return post({ type: "file", bytes }, [bytes.buffer]);
  }
  if (data.type === "start") {
    ({ width, height } = data);
    palette = choosePalette(data.samples);
  } else {
    writeFrame(data.pixels, data.millis);
  }
  post({ type: "done" });
};
