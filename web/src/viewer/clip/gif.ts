// A clip as a GIF. A worker writes it, because choosing colours and compressing would block the
// page.

import GifWorker from "./gif_worker?worker&inline";
import type { ClipPicture } from "./clip_picture";
import type { FromGifWorker, ToGifWorker } from "./gif_protocol";
import type { ClipFrame } from "./plan";

/** Pictures from which the colours are chosen. */
const SAMPLES = 10;

/** What a clip's maker tells, and how it is stopped. */
export interface ClipListeners {
  /** The part that is done, 0 to 1. */
  onProgress: (done: number) => void;
  signal: AbortSignal;
}

export async function makeGif(
  picture: ClipPicture,
  frames: readonly ClipFrame[],
  { onProgress, signal }: ClipListeners,
): Promise<Blob> {
  const worker = new GifWorker();
  try {
    const { width, height } = picture.canvas;
    const draw = (frame: ClipFrame) => {
      picture.draw(frame, 0);
      return picture.pixels();
    };
    const samples = sampleFrames(frames).map(draw);
    await ask(worker, { type: "start", width, height, samples }, signal);
    for (const [at, frame] of frames.entries()) {
      const pixels = draw(frame);
      await ask(worker, { type: "frame", pixels, millis: frame.millis }, signal);
      onProgress((at + 1) / frames.length);
    }
    const answer = await ask(worker, { type: "finish" }, signal);
    if (answer.type !== "file") throw new Error("the GIF is missing");
    return new Blob([answer.bytes], { type: "image/gif" });
  } finally {
    worker.terminate();
  }
}

/** Frames from the whole clip; always the first and the last. */
function sampleFrames(frames: readonly ClipFrame[]): ClipFrame[] {
  const count = Math.min(SAMPLES, frames.length);
  const last = frames.length - 1;
  return Array.from(
    { length: count },
    (_, at) => frames[Math.round((at * last) / (count - 1 || 1))]!,
  );
}

function ask(worker: Worker, message: ToGifWorker, signal: AbortSignal): Promise<FromGifWorker> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    worker.onmessage = ({ data }: MessageEvent<FromGifWorker>) => {
      signal.removeEventListener("abort", stop);
      resolve(data);
    };
    worker.onerror = (event) => {
      signal.removeEventListener("abort", stop);
      reject(new Error(event.message || "the worker could not be started"));
    };
    const pixels = message.type === "frame" ? [message.pixels.buffer] : [];
    worker.postMessage(message, pixels);
  });
}
