// A clip of the shown leg, as a file that other pages and chats show.

import { explain } from "$lib/errors";
import type { Playback } from "../playback.svelte";
import { ClipPicture, type ClipLook, type ClipSource } from "./clip_picture";
import { type ClipKind, type ClipSpan, MOST_FRAMES, countFrames, planFrames } from "./plan";

export interface ClipOptions extends ClipLook {
  kind: ClipKind;
  /** The rounds, both included. */
  from: number;
  to: number;
  speed: number;
}

export type ClipStatus = "idle" | "running" | "done" | "stopped" | "failed";

export interface ClipFile {
  name: string;
  url: string;
  bytes: number;
}

export class ClipState {
  status: ClipStatus = $state("idle");
  /** The part that is done, 0 to 1. */
  done = $state(0);
  /** Why it failed. */
  error = $state("");
  file: ClipFile | null = $state.raw(null);
  private stopper: AbortController | null = null;

  constructor(private readonly playback: Playback) {}

  /** The steps of these rounds. */
  span({ from, to, speed }: Pick<ClipOptions, "from" | "to" | "speed">): ClipSpan {
    const { buffer, stepMillis } = this.playback;
    const first = buffer.firstStepOfRound(from);
    const isLast = to >= buffer.frameAt(buffer.lastStep).round;
    // The last picture of a round is that of its end, where the next one begins.
    const last = isLast ? buffer.lastStep : buffer.firstStepOfRound(to + 1);
    return { first, last: Math.max(first, last), stepMillis: stepMillis / speed };
  }

  isTooLong(options: ClipOptions): boolean {
    return countFrames(options.kind, this.span(options)) > MOST_FRAMES[options.kind];
  }

  async make(options: ClipOptions): Promise<ClipFile | null> {
    const source = this.source();
    if (this.status === "running" || !source || this.isTooLong(options)) return null;
    this.forget();
    this.status = "running";
    this.done = 0;
    const { signal } = (this.stopper = new AbortController());
    try {
      const frames = planFrames(options.kind, this.span(options));
      const picture = new ClipPicture(source, options);
      const listeners = { signal, onProgress: (done: number) => (this.done = done) };
      const blob = await makeBlob(options.kind, picture, frames, listeners);
      this.file = { name: this.nameOf(options), url: URL.createObjectURL(blob), bytes: blob.size };
      this.status = "done";
      return this.file;
    } catch (error) {
      this.status = signal.aborted ? "stopped" : "failed";
      this.error = explain(error);
      return null;
    }
  }

  stop(): void {
    this.stopper?.abort();
  }

  /** Lets the browser forget the file. */
  forget(): void {
    if (this.file) URL.revokeObjectURL(this.file.url);
    this.file = null;
    if (this.status !== "running") this.status = "idle";
  }

  private source(): ClipSource | null {
    const { viewer, legFrames, buffer } = this.playback;
    return viewer && legFrames ? { viewer, legFrames, buffer, you: null } : null;
  }

  private nameOf({ kind, from, to }: ClipOptions): string {
    const { legFrames, leg } = this.playback;
    return `${legFrames?.game ?? "leitai"}-leg${leg}-rounds${from}-${to}.${kind}`;
  }
}

/** Each kind is loaded when it is asked for. */
async function makeBlob(
  kind: ClipKind,
  ...rest: Parameters<typeof import("./gif").makeGif>
): Promise<Blob> {
  if (kind === "gif") return (await import("./gif")).makeGif(...rest);
  return (await import("./video")).makeVideo(...rest);
}
