// A clip as a WebM, encoded by the browser.

import type { ClipPicture } from "./clip_picture";
import type { ClipListeners } from "./gif";
import { type ClipFrame, VIDEO_RATE } from "./plan";
import { type VideoChunk, writeWebm } from "./webm";

/** Pictures between two that need no other: two seconds. */
const KEY_EVERY = 2 * VIDEO_RATE;
/** Pictures that wait for the encoder. */
const MOST_WAITING = 8;
/** Bits of a pixel in each picture; letters stay sharp. */
const BITS = 0.16;

/** Whether this browser writes videos; over HTTP it does so on this computer alone. */
export function canMakeVideo(): boolean {
  return typeof VideoEncoder === "function" && typeof VideoFrame === "function";
}

export async function makeVideo(
  picture: ClipPicture,
  frames: readonly ClipFrame[],
  { onProgress, signal }: ClipListeners,
): Promise<Blob> {
  const { width, height } = picture.canvas;
  const chunks: VideoChunk[] = [];
  let failure: DOMException | null = null;
  const encoder = new VideoEncoder({
    output: (chunk) => chunks.push(readChunk(chunk)),
    error: (error) => (failure = error),
  });
  const check = () => {
    signal.throwIfAborted();
    if (failure) throw failure;
  };
  try {
    const bitrate = Math.round(width * height * VIDEO_RATE * BITS);
    encoder.configure({ codec: "vp8", width, height, bitrate, framerate: VIDEO_RATE });
    let now = 0;
    for (const [at, frame] of frames.entries()) {
      check();
      picture.draw(frame, now);
      const shown = new VideoFrame(picture.canvas, {
        timestamp: Math.round(now * 1000),
        duration: Math.round(frame.millis * 1000),
      });
      encoder.encode(shown, { keyFrame: at % KEY_EVERY === 0 });
      shown.close();
      now += frame.millis;
      onProgress((at + 1) / frames.length);
      await roomIn(encoder);
    }
    await encoder.flush();
    check();
    return writeWebm({ width, height, millis: now }, chunks);
  } finally {
    if (encoder.state !== "closed") encoder.close();
  }
}

/** Waits until the encoder takes more; always lets the page draw. */
async function roomIn(encoder: VideoEncoder): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  while (encoder.encodeQueueSize > MOST_WAITING && encoder.state === "configured")
    await new Promise((resolve) => (encoder.ondequeue = resolve));
}

function readChunk(chunk: EncodedVideoChunk): VideoChunk {
  const bytes = new Uint8Array(chunk.byteLength);
  chunk.copyTo(bytes);
  return { bytes, at: chunk.timestamp / 1000, isKey: chunk.type === "key" };
}
