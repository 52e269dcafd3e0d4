// The messages between the page and the worker that writes a GIF.

export type ToGifWorker =
  | { type: "start"; width: number; height: number; samples: Uint8ClampedArray<ArrayBuffer>[] }
  | { type: "frame"; pixels: Uint8ClampedArray<ArrayBuffer>; millis: number }
  | { type: "finish" };

export type FromGifWorker =
  /** The message was handled. */
  { type: "done" } | { type: "file"; bytes: Uint8Array<ArrayBuffer> };
