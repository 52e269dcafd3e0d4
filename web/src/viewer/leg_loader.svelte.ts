// Loads the frames of legs, and stores the last error.

import { explain } from "$lib/errors";
import { type LegFrames, type Perspective, parseLegFrames } from "./leg_frames";
import { type FramesSource, LoadError } from "./frames_source";

export class LegLoader {
  loading = $state(true);
  error: { message: string; status: number } | null = $state.raw(null);
  source: FramesSource | null = $state.raw(null);
  private readonly cache: Record<string, LegFrames> = {};
  private lastRequest = 0;

  /** Loads from another source from now on; what was loaded before is forgotten. */
  useSource(source: FramesSource): void {
    this.source = source;
    for (const key in this.cache) delete this.cache[key];
  }

  reset(): void {
    this.cancelRequests();
    this.source = null;
    for (const key in this.cache) delete this.cache[key];
  }

  /** Ignores the answers to earlier requests. */
  cancelRequests(): void {
    this.lastRequest++;
  }

  /** Loads a leg; null if a later request has replaced this one. */
  async loadLeg(leg: number, perspective: Perspective): Promise<LegFrames | null> {
    const request = ++this.lastRequest;
    const key = `${leg} ${perspective}`;
    if (!this.source) throw new Error("there is no source of frames");
    const legFrames = (this.cache[key] ??= parseLegFrames(
      await this.source.loadLeg(leg, perspective),
    ));
    return request === this.lastRequest ? legFrames : null;
  }

  /** Runs a task, and shows its error to the reader. */
  async runTask(task: () => Promise<void>): Promise<void> {
    this.loading = true;
    this.error = null;
    try {
      await task();
    } catch (error) {
      const message = explain(error);
      this.error = { message, status: error instanceof LoadError ? error.status : 0 };
    } finally {
      this.loading = false;
    }
  }
}
